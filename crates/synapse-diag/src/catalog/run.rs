//! Lowering and running a program: types, memory, numbers.

entries! {
    TENSOR_TYPE Refused "run-tensor-type"
        "the tensor `{name}` has the type {type}, which this version cannot compute with"
        "el tensor `{name}` tiene el tipo {type}, con el que esta versión no puede calcular"
        "use a file in one of: {known}"
        "usa un fichero en uno de: {known}";
    TENSOR_BYTES Refused "run-tensor-bytes"
        "the bytes of the tensor `{name}` are not there: {bytes} are needed"
        "los bytes del tensor `{name}` no están: se necesitan {bytes}"
        "the file was opened for its header only, or was cut after it was opened"
        "el fichero se abrió solo por su cabecera, o se cortó después de abrirlo";
    TOKEN_RANGE Refused "run-token-range"
        "the token id {id} at position {position} is not in the vocabulary of {vocabulary} tokens"
        "el identificador de token {id} en la posición {position} no está en el vocabulario de {vocabulary} tokens"
        "tokenize the text with this model's own tokenizer"
        "tokeniza el texto con el tokenizador de este modelo";
    POSITIONS Refused "run-positions"
        "{count} positions are more than can be counted"
        "{count} posiciones son más de las que se pueden contar";
    NOT_CAUSAL Refused "run-not-causal"
        "`{arch}` looks at later positions too: its whole input must be given at once"
        "`{arch}` mira también posiciones posteriores: toda su entrada debe darse de una vez"
        "start a new session for each input"
        "empieza una sesión nueva para cada entrada";
    NOT_FINITE Refused "run-logits-not-finite"
        "the output for position {position} is not finite ({value} at {index}): a weight holds NaN or infinity, or a value grew past what its type can hold"
        "la salida para la posición {position} no es finita ({value} en {index}): un peso contiene NaN o infinito, o un valor creció más de lo que su tipo admite"
        "try `--kv f32` (f16 ends at 65504); get the file again and compare its sha256; where the definition is new, look for a missing norm or scale"
        "prueba `--kv f32` (f16 acaba en 65504); consigue el fichero de nuevo y compara su sha256; si la definición es nueva, busca una norma o una escala que falte";
}
