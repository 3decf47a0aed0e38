//! GGUF files: header, metadata, tensor table.

entries! {
    MAGIC Refused "gguf-magic"
        "not a GGUF file: the first four bytes are {found}, not `GGUF`"
        "no es un fichero GGUF: los cuatro primeros bytes son {found}, no `GGUF`"
        "check that the download is complete and that this is the model file"
        "comprueba que la descarga está completa y que este es el fichero del modelo";
}
