//! The models that the worker has open: those that were used last.

use super::job::Way;
use crate::error::Result;
use canopy_kernels::packed::Quantization;
use canopy_project::language;
use canopy_translate::inference::{
    DeviceChoice, DocumentModel, LanguageModelTranslator, Languages, Route, Translator,
};

/// A model that is open.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "few are open at once")]
pub(super) enum OpenModel {
    Translator(Translator),
    LanguageModel(LanguageModelTranslator),
}

impl OpenModel {
    /// The model as whoever translates documents with it sees it.
    pub(crate) fn as_document_model(&self) -> &dyn DocumentModel {
        match self {
            Self::Translator(translator) => translator,
            Self::LanguageModel(model) => model,
        }
    }

    /// Its name and the language that it writes.
    pub(crate) fn name_and_target(&self) -> (String, String) {
        let info = match self {
            Self::Translator(translator) => translator.info(),
            Self::LanguageModel(model) => model.info(),
        };
        (info.name.clone(), info.target_language.clone())
    }
}

/// Open models, the one used last at the end.
#[derive(Debug)]
pub(super) struct Models {
    open: Vec<(Way, OpenModel)>,
    device: DeviceChoice,
    quantization: Option<Quantization>,
    most: usize,
}

impl Models {
    pub(crate) fn new(
        device: DeviceChoice,
        quantization: Option<Quantization>,
        most: usize,
    ) -> Self {
        Self {
            open: Vec::new(),
            device,
            quantization,
            most: most.max(1),
        }
    }

    /// The model of a way, opened if it is not open.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(crate) fn model(&mut self, way: &Way) -> Result<&mut OpenModel> {
        if let Some(place) = self.open.iter().position(|(own, _)| own == way) {
            let used = self.open.remove(place);
            self.open.push(used);
        } else {
            let mut model = open(way, self.device)?;
            if let (OpenModel::Translator(translator), Some(quantization)) =
                (&mut model, self.quantization)
            {
                translator.loaded_mut().quantize(quantization);
            }
            if self.open.len() >= self.most {
                self.open.remove(0);
            }
            self.open.push((way.clone(), model));
        }
        let last = self.open.len() - 1;
        Ok(&mut self.open[last].1)
    }
}

fn open(way: &Way, device: DeviceChoice) -> Result<OpenModel> {
    let source = Some(way.source.as_str());
    if let Route::Direct { folder, target } = &way.route
        && LanguageModelTranslator::file_of(folder).is_some()
    {
        let languages = Languages {
            source_name: language::name(&way.source),
            target_name: language::name(target),
            ..Languages::new(&way.source, target)
        };
        let model = LanguageModelTranslator::open(folder, languages, device)?;
        return Ok(OpenModel::LanguageModel(model));
    }
    let translator = match &way.route {
        Route::Direct { folder, target } => {
            Translator::open_between(folder, device, source, Some(target))?
        }
        Route::Pivot {
            folders: [first, second],
            pivot,
            target,
        } => {
            let first = Translator::open_between(first, device, source, Some(pivot))?;
            first.followed_by(Translator::open_between(
                second,
                device,
                Some(pivot),
                Some(target),
            )?)?
        }
    };
    Ok(OpenModel::Translator(translator))
}
