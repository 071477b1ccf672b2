//! A file that has arrived: unpacked, and compared with what the list says of it.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::fetch::{MOST_BYTES, STEP, Transfer, check_space};
use super::web::Fault;
use canopy_base::digest::hexadecimal;

/// Bytes of a file that the list gives no size for, once it is unpacked from gzip.
const MOST_UNPACKED: u64 = 4 << 30;

impl Transfer<'_> {
    /// Unpacks what has arrived to `to`, if it is packed, and compares size and hash with those of the list.
    pub(crate) fn finish(&self, to: &Path) -> Result<(), Fault> {
        let failed = |cause: std::io::Error| Fault::Final(format!("cannot be unpacked: {cause}"));
        let mut file = File::open(&self.part).map_err(failed)?;
        let mut magic = [0; 2];
        // Some hosts unpack on the way.
        let is_packed =
            self.file.is_gzip && file.read_exact(&mut magic).is_ok() && magic == [0x1f, 0x8b];
        let file = File::open(&self.part).map_err(failed)?;
        let (hash, size) = if is_packed {
            let unpacked = self.part.with_added_extension("new");
            let found = self.unpack(file, &unpacked)?;
            fs::remove_file(&self.part).map_err(failed)?;
            fs::rename(&unpacked, &self.part).map_err(failed)?;
            found
        } else {
            self.unpack_into(file, &mut std::io::sink())?
        };
        if let Some(listed) = self.file.num_bytes.filter(|listed| *listed != size) {
            return Err(Fault::Final(format!(
                "the list says that it has {listed} bytes, but it has {size}"
            )));
        }
        if let Some(listed) = self.file.sha256.as_ref().filter(|listed| **listed != hash) {
            return Err(Fault::Final(format!(
                "it is not the file of the list: its SHA-256 is {hash}, not {listed}"
            )));
        }
        fs::rename(&self.part, to).map_err(failed)?;
        self.forget();
        Ok(())
    }

    fn unpack(&self, file: File, to: &Path) -> Result<(String, u64), Fault> {
        let mut new = File::create(to)
            .map_err(|cause| Fault::Final(format!("cannot be unpacked: {cause}")))?;
        self.unpack_into(flate2::read::MultiGzDecoder::new(file), &mut new)
    }

    /// Copies what is read, and returns hash and size.
    fn unpack_into(&self, mut from: impl Read, to: &mut dyn Write) -> Result<(String, u64), Fault> {
        let most = self.file.num_bytes;
        let (mut hash, mut size, mut looked) = (Sha256::new(), 0_u64, 0);
        let mut buffer = vec![0; 1 << 18];
        loop {
            let length = from
                .read(&mut buffer)
                .map_err(|cause| Fault::Final(format!("its data are damaged ({cause})")))?;
            if length == 0 {
                break;
            }
            size += length as u64;
            let limit = most.unwrap_or(if self.file.is_gzip {
                MOST_UNPACKED
            } else {
                MOST_BYTES
            });
            if size > limit {
                let says = most.map_or(
                    "no file of a model has more than",
                    |_| "the list says that it has",
                );
                return Err(Fault::Final(format!(
                    "it unpacks to more than it should: {says} {limit} bytes"
                )));
            }
            if self.file.is_gzip && size > looked + STEP {
                looked = size;
                check_space(&self.part, STEP)?;
            }
            hash.update(&buffer[..length]);
            to.write_all(&buffer[..length])
                .map_err(|cause| Fault::Final(format!("cannot be unpacked: {cause}")))?;
        }
        Ok((hexadecimal(hash), size))
    }
}
