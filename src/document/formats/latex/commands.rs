//! Commands and environments by their roles in the text around them.

use crate::words::Words;

/// A command by what becomes of its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    /// A heading of this level.
    Heading(u8),
    /// Its argument is a paragraph of its own.
    Block,
    /// As [`Self::Block`], and hangs at a place in a sentence.
    Anchor,
    /// Marks the words of its last argument; how many are before that.
    Marks(usize),
    /// The number of arguments, and those that are texts of their own, which a reader sees in bookmarks, contents or heads of
    /// pages.
    Elsewhere(usize, &'static [usize]),
    /// Its arguments are names, not text; a reader sees something in its place.
    Opaque,
    /// A reader sees nothing.
    Point,
    /// Ends a paragraph, with all its arguments.
    Boundary,
    /// Its argument is between two equal characters.
    Verbatim,
    Item,
    Definition,
    Unknown,
}

/// Returns the role of a command, by its name without backslash and star.
pub(super) fn command(name: &str) -> Command {
    match name {
        "part" | "chapter" => Command::Heading(1),
        "section" => Command::Heading(2),
        "subsection" => Command::Heading(3),
        "subsubsection" => Command::Heading(4),
        "paragraph" => Command::Heading(5),
        "subparagraph" => Command::Heading(6),
        "title" | "subtitle" | "caption" | "captionof" | "frametitle" | "framesubtitle"
        | "epigraph" | "dedication" | "abstract" | "chapquote" => Command::Block,
        "footnote" | "thanks" | "footnotetext" | "marginpar" | "sidenote" | "marginnote"
        | "endnote" => Command::Anchor,
        "emph" | "textbf" | "textit" | "textsc" | "textsf" | "textrm" | "textmd" | "textup"
        | "textsl" | "textnormal" | "underline" | "uline" | "sout" | "mbox" | "enquote"
        | "textsuperscript" | "textsubscript" | "text" | "hbox" | "fbox" | "framebox"
        | "makebox" | "centerline" | "alert" | "structure" | "uppercase" | "lowercase"
        | "MakeUppercase" | "textquote" | "so" | "hl" | "ul" | "st" | "term" | "strong"
        | "quote" => Command::Marks(0),
        "textcolor" | "colorbox" | "href" | "hyperlink" | "hypertarget" | "foreignlanguage"
        | "scalebox" | "rotatebox" | "parbox" | "raisebox" | "only" | "onslide" => {
            Command::Marks(1)
        }
        "pdfbookmark" | "currentpdfbookmark" | "belowpdfbookmark" | "subpdfbookmark" => {
            Command::Elsewhere(2, &[0])
        }
        "addcontentsline" => Command::Elsewhere(3, &[2]),
        "markboth" => Command::Elsewhere(2, &[0, 1]),
        "markright" => Command::Elsewhere(1, &[0]),
        "multicolumn" | "multirow" | "resizebox" | "fcolorbox" => Command::Marks(2),
        "texttt" | "url" | "path" | "nolinkurl" | "code" | "ref" | "pageref" | "eqref"
        | "autoref" | "cref" | "Cref" | "vref" | "nameref" | "cite" | "citep" | "citet"
        | "citeauthor" | "citeyear" | "parencite" | "textcite" | "autocite" | "footcite"
        | "nocite" | "includegraphics" | "ensuremath" | "LaTeX" | "TeX" | "LaTeXe" | "BibTeX"
        | "XeTeX" | "LuaTeX" | "pdfTeX" | "today" | "num" | "SI" | "si" | "qty" | "unit"
        | "ang" | "gls" | "Gls" | "glspl" | "ac" | "acs" | "acl" | "symbol" | "keys" | "file"
        | "thepage" | "footnotemark" => Command::Opaque,
        "label" | "index" | "hspace" | "vspace" | "color" | "phantomsection" | "hfill" | "hfil"
        | "quad" | "qquad" | "xspace" | "protect" | "selectlanguage" | "setcounter"
        | "addtocounter" | "hypersetup" | "glsadd" | "leavevmode" | "null" | "strut"
        | "allowbreak" | "linebreak" | "nolinebreak" | "nobreak" | "rule" | "bf" | "it" | "em"
        | "rm" | "sf" | "tt" | "sc" | "sl" | "bfseries" | "itshape" | "scshape" | "slshape"
        | "upshape" | "mdseries" | "rmfamily" | "sffamily" | "ttfamily" | "normalfont" | "tiny"
        | "scriptsize" | "footnotesize" | "small" | "normalsize" | "large" | "Large" | "LARGE"
        | "huge" | "Huge" | "noindent" | "indent" | "raggedright" | "raggedleft" | "centering"
        | "boldmath" | "unboldmath" | "fontsize" | "selectfont" => Command::Point,
        "par" | "maketitle" | "tableofcontents" | "listoffigures" | "listoftables" | "newpage"
        | "clearpage" | "cleardoublepage" | "pagebreak" | "hline" | "toprule" | "midrule"
        | "bottomrule" | "cline" | "cmidrule" | "appendix" | "bigskip" | "medskip"
        | "smallskip" | "vfill" | "vskip" | "frontmatter" | "mainmatter" | "backmatter"
        | "printbibliography" | "bibliography" | "bibliographystyle" | "pagestyle"
        | "thispagestyle" | "input" | "include" | "usepackage" | "documentclass"
        | "documentstyle" | "author" | "date" | "institute" | "addbibresource" | "printindex"
        | "makeindex" | "pagenumbering" | "graphicspath" | "newline" | "tabularnewline"
        | "endhead" | "endfirsthead" | "endfoot" | "endlastfoot" | "looseness"
        | "lstinputlisting" | "inputminted" | "verbatiminput" | "setlength" | "addtolength"
        | "hyphenation" => Command::Boundary,
        "verb" | "lstinline" | "mintinline" => Command::Verbatim,
        "item" => Command::Item,
        "newcommand"
        | "renewcommand"
        | "providecommand"
        | "def"
        | "gdef"
        | "edef"
        | "xdef"
        | "let"
        | "newenvironment"
        | "renewenvironment"
        | "DeclareMathOperator"
        | "DeclareRobustCommand"
        | "newtheorem"
        | "newcounter"
        | "newlength"
        | "definecolor"
        | "newacronym"
        | "newglossaryentry"
        | "DeclareUnicodeCharacter"
        | "newif"
        | "theoremstyle"
        | "makeatletter"
        | "makeatother"
        | "geometry"
        | "lstset"
        | "tikzset"
        | "setbeamertemplate" => Command::Definition,
        _ => Command::Unknown,
    }
}

/// Whether a command has arguments, with or without a space behind its name.
pub(super) fn has_arguments(name: &str) -> bool {
    match command(name) {
        Command::Opaque => !Words("LaTeX TeX LaTeXe BibTeX XeTeX LuaTeX pdfTeX today thepage footnotemark").contains(name),
        Command::Point => Words(
            "label index hspace vspace color selectlanguage setcounter addtocounter hypersetup glsadd rule fontsize",
        ).contains(name),
        Command::Boundary => Words(
            "bibliography bibliographystyle pagestyle thispagestyle input include usepackage documentclass documentstyle
             author date institute addbibresource pagenumbering graphicspath lstinputlisting inputminted verbatiminput
             setlength addtolength hyphenation cline cmidrule",
        ).contains(name),
        _ => false,
    }
}

/// An environment by what becomes of its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Environment {
    /// Left alone, with whatever is in it.
    Verbatim,
    /// Mathematics in a text.
    Math,
    Table,
    List,
    /// Its arguments are texts.
    Titled,
    /// Its lines stay lines.
    Lines,
    Text,
}

/// Returns the role of an environment, by its name without a star.
pub(super) fn environment(name: &str) -> Environment {
    match name {
        "verbatim" | "Verbatim" | "BVerbatim" | "LVerbatim" | "lstlisting" | "minted" | "alltt"
        | "comment" | "filecontents" | "tikzpicture" | "picture" | "algorithmic"
        | "algorithm2e" | "tabbing" | "thebibliography" | "pspicture" | "forest" | "code"
        | "spverbatim" | "luacode" | "pycode" | "asy" | "dot" | "pgfpicture" | "axis"
        | "bibdiv" => Environment::Verbatim,
        "math" | "displaymath" | "equation" | "align" | "aligned" | "alignat" | "flalign"
        | "gather" | "gathered" | "multline" | "eqnarray" | "array" | "matrix" | "pmatrix"
        | "bmatrix" | "vmatrix" | "cases" | "split" | "subequations" | "dmath" | "IEEEeqnarray" => {
            Environment::Math
        }
        "tabular" | "tabularx" | "tabulary" | "longtable" | "supertabular" | "xltabular"
        | "tabu" | "longtabu" | "tblr" => Environment::Table,
        "itemize" | "enumerate" | "description" | "compactitem" | "compactenum" | "list"
        | "trivlist" | "inparaenum" => Environment::List,
        "theorem" | "lemma" | "proof" | "definition" | "corollary" | "proposition" | "example"
        | "remark" | "frame" | "block" | "alertblock" | "exampleblock" | "conjecture" | "claim"
        | "axiom" | "exercise" => Environment::Titled,
        "obeylines" => Environment::Lines,
        _ => Environment::Text,
    }
}
