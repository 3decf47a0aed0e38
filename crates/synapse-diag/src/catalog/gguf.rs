//! GGUF files: file, header, metadata, tensor table, tensor data, split files.

entries! {
    // the file
    FILE_NOT_FOUND Refused "gguf-file-not-found"
        "there is no such file"
        "no existe ese fichero"
        "check the path"
        "comprueba la ruta";
    FILE_NOT_REGULAR Refused "gguf-file-not-regular"
        "this is not a regular file"
        "no es un fichero normal"
        "give the path of the model file itself"
        "da la ruta del propio fichero del modelo";
    FILE_READ Failed "gguf-file-read"
        "the file cannot be read: {reason}"
        "no se puede leer el fichero: {reason}"
        "check its permissions and the disk"
        "comprueba sus permisos y el disco";
    FILE_CHANGED Failed "gguf-file-changed"
        "the file became shorter than {length} bytes while it was read"
        "el fichero se acortó a menos de {length} bytes mientras se leía"
        "wait until nothing writes to it, then try again"
        "espera a que nadie escriba en él y vuelve a intentarlo";
    FILE_WRITE Failed "gguf-file-write"
        "the file cannot be written: {reason}"
        "no se puede escribir el fichero: {reason}"
        "check the folder, its permissions and the space left"
        "comprueba la carpeta, sus permisos y el espacio libre";
    MEMORY Failed "gguf-memory"
        "{bytes} bytes of memory were refused by the system"
        "el sistema negó {bytes} bytes de memoria"
        "close other programs, or take a smaller model"
        "cierra otros programas o usa un modelo más pequeño";

    // header
    EMPTY Refused "gguf-empty"
        "the file is empty: it has no GGUF magic"
        "el fichero está vacío: no tiene la marca GGUF"
        "get the file again"
        "vuelve a obtener el fichero";
    MAGIC Refused "gguf-magic"
        "not a GGUF file: the first four bytes are {found}, not `GGUF`"
        "no es un fichero GGUF: los cuatro primeros bytes son {found}, no `GGUF`"
        "check that the download is complete and that this is the model file"
        "comprueba que la descarga está completa y que este es el fichero del modelo";
    LFS_POINTER Refused "gguf-lfs-pointer"
        "this is a Git LFS pointer, not the model file that it stands for"
        "es un puntero de Git LFS, no el fichero del modelo al que representa"
        "fetch the file itself with `git lfs pull`"
        "trae el fichero con `git lfs pull`";
    VERSION_SWAPPED Refused "gguf-big-endian"
        "big-endian file: the version reads as {found}, which is {swapped} with its bytes swapped"
        "fichero big-endian: la versión se lee como {found}, que es {swapped} con los bytes invertidos"
        "use the little-endian form of the model"
        "usa la forma little-endian del modelo";
    VERSION_1 Refused "gguf-version-1"
        "GGUF version 1 is not supported: its counts have 32 bits; versions 2 and 3 are read"
        "la versión 1 de GGUF no está admitida: sus contadores son de 32 bits; se leen las versiones 2 y 3"
        "convert the model again with a current converter"
        "vuelve a convertir el modelo con un conversor actual";
    VERSION_UNKNOWN Refused "gguf-version-unknown"
        "GGUF version {found} is not known; versions 2 and 3 are read"
        "la versión {found} de GGUF no es conocida; se leen las versiones 2 y 3"
        "use a version of this program that knows it, or convert the model to version 3"
        "usa una versión de este programa que la conozca o convierte el modelo a la versión 3";
    COUNT_NEGATIVE Refused "gguf-count-negative"
        "at byte {position}: `{field}` is {count}: negative as a signed number"
        "en el byte {position}: `{field}` es {count}: negativo como número con signo"
        "the header is damaged; get the file again"
        "la cabecera está dañada; vuelve a obtener el fichero";
    COUNT_TOO_LARGE Refused "gguf-count-too-large"
        "at byte {position}: `{field}` is {count}, but the {left} bytes that follow hold at most {most}"
        "en el byte {position}: `{field}` es {count}, pero los {left} bytes que siguen contienen {most} como máximo"
        "the file is cut short or its header is damaged; get it again"
        "el fichero está cortado o su cabecera dañada; vuelve a obtenerlo";
    LIMIT Refused "gguf-limit"
        "at byte {position}: the size of `{what}` is {value}; the limit is {limit}"
        "en el byte {position}: el tamaño de `{what}` es {value}; el límite es {limit}"
        "no model known needs this much; check where the file comes from"
        "ningún modelo conocido necesita tanto; comprueba de dónde viene el fichero";
    HEADER_CUT Refused "gguf-header-cut"
        "the file ends inside its header: `{field}` at byte {position} needs {need} bytes and {left} are left"
        "el fichero termina dentro de su cabecera: `{field}` en el byte {position} necesita {need} bytes y quedan {left}"
        "get the file again"
        "vuelve a obtener el fichero";

    // metadata
    METADATA_CUT Refused "gguf-metadata-cut"
        "the file ends inside its metadata: key number {number} at byte {position} needs {need} more bytes and {left} are left"
        "el fichero termina dentro de sus metadatos: la clave número {number} en el byte {position} necesita {need} bytes más y quedan {left}"
        "the file is cut short, or its count of keys is wrong; get it again"
        "el fichero está cortado o su número de claves es erróneo; vuelve a obtenerlo";
    VALUE_CUT Refused "gguf-value-cut"
        "the file ends inside the value of `{key}`: at byte {position} it needs {need} more bytes and {left} are left"
        "el fichero termina dentro del valor de `{key}`: en el byte {position} necesita {need} bytes más y quedan {left}"
        "the file is cut short or a length in it is wrong; get it again"
        "el fichero está cortado o una de sus longitudes es errónea; vuelve a obtenerlo";
    KEY_EMPTY Refused "gguf-key-empty"
        "at byte {position}: key number {number} is empty"
        "en el byte {position}: la clave número {number} está vacía"
        "convert the model again"
        "vuelve a convertir el modelo";
    KEY_TOO_LONG Refused "gguf-key-too-long"
        "at byte {position}: key number {number} is {length} bytes long; the format allows {limit}"
        "en el byte {position}: la clave número {number} tiene {length} bytes; el formato admite {limit}"
        "the metadata is damaged or its count of keys is wrong; get the file again"
        "los metadatos están dañados o su número de claves es erróneo; vuelve a obtener el fichero";
    KEY_NOT_UTF8 Refused "gguf-key-not-utf8"
        "at byte {position}: key number {number} is not UTF-8: `{text}`"
        "en el byte {position}: la clave número {number} no es UTF-8: `{text}`"
        "the metadata is damaged or its count of keys is wrong; get the file again"
        "los metadatos están dañados o su número de claves es erróneo; vuelve a obtener el fichero";
    KEY_DUPLICATE Refused "gguf-key-duplicate"
        "the key `{key}` comes twice"
        "la clave `{key}` aparece dos veces"
        "convert the model again so that each key comes once"
        "vuelve a convertir el modelo para que cada clave aparezca una vez";
    VALUE_TYPE Refused "gguf-value-type"
        "at byte {position}: the value of `{key}` has type number {found}; value types are 0 to 12"
        "en el byte {position}: el valor de `{key}` tiene el tipo número {found}; los tipos de valor van de 0 a 12"
        "the metadata is damaged or its count of keys is wrong; get the file again"
        "los metadatos están dañados o su número de claves es erróneo; vuelve a obtener el fichero";
    ARRAY_TYPE Refused "gguf-array-type"
        "at byte {position}: the elements of the array `{key}` have type number {found}; value types are 0 to 12"
        "en el byte {position}: los elementos del array `{key}` tienen el tipo número {found}; los tipos de valor van de 0 a 12"
        "the metadata is damaged; get the file again"
        "los metadatos están dañados; vuelve a obtener el fichero";
    ARRAY_NESTED Refused "gguf-array-nested"
        "at byte {position}: `{key}` is an array of arrays, which is not supported"
        "en el byte {position}: `{key}` es un array de arrays, lo que no está admitido"
        "convert the model again with flat arrays"
        "vuelve a convertir el modelo con arrays simples";
    ARRAY_TOO_LARGE Refused "gguf-array-too-large"
        "at byte {position}: the array `{key}` says that it has {count} elements, but the {left} bytes that follow hold at most {most}"
        "en el byte {position}: el array `{key}` dice tener {count} elementos, pero los {left} bytes que siguen contienen {most} como máximo"
        "the file is cut short or the count is wrong; get it again"
        "el fichero está cortado o el número es erróneo; vuelve a obtenerlo";
    STRING_TOO_LARGE Refused "gguf-string-too-large"
        "at byte {position}: a string of `{key}` says that it is {length} bytes long, but {left} bytes are left in the file"
        "en el byte {position}: una cadena de `{key}` dice tener {length} bytes, pero en el fichero quedan {left}"
        "the file is cut short or the length is wrong; get it again"
        "el fichero está cortado o la longitud es errónea; vuelve a obtenerlo";
    BOOL Refused "gguf-bool"
        "at byte {position}: a truth value of `{key}` is {found}; only 0 and 1 are allowed"
        "en el byte {position}: un valor lógico de `{key}` es {found}; solo se admiten 0 y 1"
        "the metadata is damaged; get the file again"
        "los metadatos están dañados; vuelve a obtener el fichero";
    ALIGNMENT Refused "gguf-alignment"
        "`general.alignment` is {found}; it must be a power of two"
        "`general.alignment` es {found}; debe ser una potencia de dos"
        "convert the model again; 32 is the usual value"
        "vuelve a convertir el modelo; el valor habitual es 32";
    KEY_MISSING Refused "gguf-key-missing"
        "the file has no key `{key}`, which is required"
        "el fichero no tiene la clave `{key}`, que es obligatoria"
        "convert the model again with a converter that writes it"
        "vuelve a convertir el modelo con un conversor que la escriba";
    KEY_TYPE Refused "gguf-key-type"
        "`{key}` has type {found}; it must be {expected}"
        "`{key}` es de tipo {found}; debe ser {expected}"
        "convert the model again with a converter that writes it as {expected}"
        "vuelve a convertir el modelo con un conversor que la escriba como {expected}";
    KEY_RANGE Refused "gguf-key-range"
        "`{key}` is {value}, which does not fit {expected}"
        "`{key}` es {value}, que no cabe en {expected}"
        "convert the model again"
        "vuelve a convertir el modelo";
    STRING_NOT_UTF8 Refused "gguf-string-not-utf8"
        "the string `{key}` is not UTF-8: `{text}`"
        "la cadena `{key}` no es UTF-8: `{text}`"
        "convert the model again"
        "vuelve a convertir el modelo";
    STRING_REPLACED Notice "gguf-string-replaced"
        "the string `{key}` is not UTF-8: it is shown as `{text}`, and nothing may be read from it"
        "la cadena `{key}` no es UTF-8: se muestra como `{text}` y no se puede leer nada de ella";

    // tensor table
    TENSORS_CUT Refused "gguf-tensors-cut"
        "the file ends inside its tensor table: tensor number {number} at byte {position} needs {need} more bytes and {left} are left"
        "el fichero termina dentro de su tabla de tensores: el tensor número {number} en el byte {position} necesita {need} bytes más y quedan {left}"
        "the file is cut short, or its count of tensors is wrong; get it again"
        "el fichero está cortado o su número de tensores es erróneo; vuelve a obtenerlo";
    TENSOR_CUT Refused "gguf-tensor-cut"
        "the file ends inside the description of tensor `{name}`: at byte {position} it needs {need} more bytes and {left} are left"
        "el fichero termina dentro de la descripción del tensor `{name}`: en el byte {position} necesita {need} bytes más y quedan {left}"
        "the file is cut short; get it again"
        "el fichero está cortado; vuelve a obtenerlo";
    TENSOR_NAME_EMPTY Refused "gguf-tensor-name-empty"
        "at byte {position}: the name of tensor number {number} is empty"
        "en el byte {position}: el nombre del tensor número {number} está vacío"
        "the tensor table is damaged or the count of keys or tensors is wrong; get the file again"
        "la tabla de tensores está dañada o el número de claves o tensores es erróneo; vuelve a obtener el fichero";
    TENSOR_NAME_TOO_LONG Refused "gguf-tensor-name-too-long"
        "at byte {position}: the name of tensor number {number} is {length} bytes long; the format allows {limit}"
        "en el byte {position}: el nombre del tensor número {number} tiene {length} bytes; el formato admite {limit}"
        "the tensor table is damaged or the count of keys or tensors is wrong; get the file again"
        "la tabla de tensores está dañada o el número de claves o tensores es erróneo; vuelve a obtener el fichero";
    TENSOR_NAME_NOT_UTF8 Refused "gguf-tensor-name-not-utf8"
        "at byte {position}: the name of tensor number {number} is not UTF-8: `{text}`"
        "en el byte {position}: el nombre del tensor número {number} no es UTF-8: `{text}`"
        "the tensor table is damaged or the count of keys or tensors is wrong; get the file again"
        "la tabla de tensores está dañada o el número de claves o tensores es erróneo; vuelve a obtener el fichero";
    TENSOR_DUPLICATE Refused "gguf-tensor-duplicate"
        "the tensor name `{name}` comes twice"
        "el nombre de tensor `{name}` aparece dos veces"
        "convert the model again so that each name comes once"
        "vuelve a convertir el modelo para que cada nombre aparezca una vez";
    TENSOR_DIMS Refused "gguf-tensor-dims"
        "at byte {position}: tensor `{name}` has {found} dimensions; 1 to 4 are allowed"
        "en el byte {position}: el tensor `{name}` tiene {found} dimensiones; se admiten de 1 a 4"
        "the tensor table is damaged; get the file again"
        "la tabla de tensores está dañada; vuelve a obtener el fichero";
    TENSOR_DIM_ZERO Refused "gguf-tensor-dim-zero"
        "at byte {position}: dimension {index} of tensor `{name}` is 0"
        "en el byte {position}: la dimensión {index} del tensor `{name}` es 0"
        "convert the model again without this tensor"
        "vuelve a convertir el modelo sin este tensor";
    TENSOR_DIM_NEGATIVE Refused "gguf-tensor-dim-negative"
        "at byte {position}: dimension {index} of tensor `{name}` is {found}: negative as a signed number"
        "en el byte {position}: la dimensión {index} del tensor `{name}` es {found}: negativa como número con signo"
        "the tensor table is damaged; get the file again"
        "la tabla de tensores está dañada; vuelve a obtener el fichero";
    TENSOR_TOO_LARGE Refused "gguf-tensor-too-large"
        "tensor `{name}` of dimensions {dims} and type {type} has more bytes than 63 bits can count"
        "el tensor `{name}` de dimensiones {dims} y tipo {type} tiene más bytes de los que 63 bits pueden contar"
        "the tensor table is damaged; get the file again"
        "la tabla de tensores está dañada; vuelve a obtener el fichero";
    TENSOR_BYTES Refused "gguf-tensor-bytes"
        "tensor `{name}`: {found} bytes are not what dimensions {dims} and type {type} make"
        "tensor `{name}`: {found} bytes no son lo que dan las dimensiones {dims} y el tipo {type}"
        "give exactly the tensor's bytes, in whole blocks"
        "da exactamente los bytes del tensor, en bloques completos";
    TENSOR_TYPE_REMOVED Refused "gguf-tensor-type-removed"
        "at byte {position}: tensor `{name}` has type number {found}, a format that was removed from GGUF"
        "en el byte {position}: el tensor `{name}` tiene el tipo número {found}, un formato retirado de GGUF"
        "convert or quantize the model again to a current type"
        "vuelve a convertir o cuantizar el modelo a un tipo actual";
    TENSOR_TYPE_UNKNOWN Refused "gguf-tensor-type-unknown"
        "at byte {position}: tensor `{name}` has type number {found}, which is not known"
        "en el byte {position}: el tensor `{name}` tiene el tipo número {found}, que no es conocido"
        "use a version of this program that knows it, or quantize the model to a known type"
        "usa una versión de este programa que lo conozca o cuantiza el modelo a un tipo conocido";
    TENSOR_ROW Refused "gguf-tensor-row"
        "tensor `{name}`: its first dimension {found} is not a multiple of {block}, the block size of {type}"
        "tensor `{name}`: su primera dimensión {found} no es múltiplo de {block}, el tamaño de bloque de {type}"
        "quantize the model again"
        "vuelve a cuantizar el modelo";

    // tensor data
    OFFSET_UNALIGNED Refused "gguf-offset-unaligned"
        "tensor `{name}`: its offset {offset} is not a multiple of the alignment {alignment}"
        "tensor `{name}`: su desplazamiento {offset} no es múltiplo de la alineación {alignment}"
        "convert the model again"
        "vuelve a convertir el modelo";
    OFFSET_BEYOND Refused "gguf-offset-beyond"
        "tensor `{name}`: its offset {offset}, counted from byte {start}, lies past the end of the file at byte {length}"
        "tensor `{name}`: su desplazamiento {offset}, contado desde el byte {start}, queda más allá del final del fichero en el byte {length}"
        "the file is cut short or the offset is wrong; get it again"
        "el fichero está cortado o el desplazamiento es erróneo; vuelve a obtenerlo";
    DATA_CUT Refused "gguf-data-cut"
        "tensor `{name}`: its {size} bytes from byte {start} on end past the end of the file at byte {length}"
        "tensor `{name}`: sus {size} bytes a partir del byte {start} terminan más allá del final del fichero en el byte {length}"
        "the file is cut short; get it again"
        "el fichero está cortado; vuelve a obtenerlo";
    OVERLAP Refused "gguf-tensors-overlap"
        "the tensors `{first}` and `{second}` share bytes: the first one ends at byte {end}, the second one begins at byte {start}"
        "los tensores `{first}` y `{second}` comparten bytes: el primero termina en el byte {end}, el segundo empieza en el byte {start}"
        "convert the model again"
        "vuelve a convertir el modelo";
    TRAILING Notice "gguf-trailing-bytes"
        "{count} bytes after the last tensor's data, from byte {start} on, are not read"
        "no se leen los {count} bytes que siguen a los datos del último tensor, a partir del byte {start}";

    // split files
    SPLIT_NAME Refused "gguf-split-name"
        "`split.count` says that this is one part of {count}, but the file's name does not end in {ending}, so the other parts cannot be found"
        "`split.count` dice que es una parte de {count}, pero el nombre del fichero no termina en {ending}, así que no se pueden encontrar las demás partes"
        "put all {count} parts into one folder under the names they were made with, and give the first"
        "pon las {count} partes en una carpeta con los nombres con que se crearon y da la primera";
    SPLIT_MISSING Refused "gguf-split-missing"
        "part {number} of {count} is missing: `{path}`"
        "falta la parte {number} de {count}: `{path}`"
        "put all {count} parts into one folder"
        "pon las {count} partes en una carpeta";
    SPLIT_NUMBER Refused "gguf-split-number"
        "`split.no` is {found}; the part with this name must have {expected}"
        "`split.no` es {found}; la parte con este nombre debe tener {expected}"
        "give each part the name it was made with"
        "da a cada parte el nombre con que se creó";
    SPLIT_COUNT Refused "gguf-split-count"
        "`split.count` is {found}; the other parts say {expected}"
        "`split.count` es {found}; las demás partes dicen {expected}"
        "put the parts of one and the same model into the folder"
        "pon en la carpeta las partes de un mismo modelo";
    SPLIT_TENSORS Refused "gguf-split-tensors"
        "`split.tensors.count` is {found}; the {count} parts hold {held} tensors"
        "`split.tensors.count` es {found}; las {count} partes contienen {held} tensores"
        "put the parts of one and the same model into the folder"
        "pon en la carpeta las partes de un mismo modelo";
}
