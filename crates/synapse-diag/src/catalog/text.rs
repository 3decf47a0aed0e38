//! Tokenizers and chat templates.

entries! {
    MODEL_UNKNOWN Refused "text-tokenizer-model"
        "the tokenizer kind `{name}` (`tokenizer.ggml.model`) is not known"
        "no se conoce el tipo de tokenizador `{name}` (`tokenizer.ggml.model`)"
        "known are: {known}; token ids can still be given to `logits --tokens`"
        "se conocen: {known}; aún se pueden dar identificadores a `logits --tokens`";
    PRE_UNKNOWN Refused "text-pre-tokenizer"
        "the pre-tokenizer `{name}` (`tokenizer.ggml.pre`) is not known"
        "no se conoce el pre-tokenizador `{name}` (`tokenizer.ggml.pre`)"
        "words would be cut in the wrong places, so nothing is guessed; known are: {known}"
        "las palabras se cortarían mal, así que no se adivina nada; se conocen: {known}";
    PRE_MISSING Notice "text-pre-tokenizer-missing"
        "the file names no pre-tokenizer (`tokenizer.ggml.pre`); `default` is used"
        "el fichero no nombra ningún pre-tokenizador (`tokenizer.ggml.pre`); se usa `default`";
    TABLE_LENGTH Refused "text-table-length"
        "`{key}` has {found} entries, but there are {tokens} tokens"
        "`{key}` tiene {found} entradas, pero hay {tokens} tokens"
        "convert the file again from its source"
        "convierte de nuevo el fichero desde su origen";
    TABLE_SIZE Refused "text-table-size"
        "`{key}` is too large: {found} entries"
        "`{key}` es demasiado grande: {found} entradas";
    TOKEN_TYPE Refused "text-token-type"
        "`tokenizer.ggml.token_type` of token {id} is {value}; known are 0 to 6"
        "`tokenizer.ggml.token_type` del token {id} es {value}; se conocen de 0 a 6";
    MERGE Refused "text-merge"
        "merge {index} of `tokenizer.ggml.merges` is not two pieces separated by one space: `{text}`"
        "la fusión {index} de `tokenizer.ggml.merges` no son dos piezas separadas por un espacio: `{text}`"
        "convert the file again from its source"
        "convierte de nuevo el fichero desde su origen";
    SPECIAL_RANGE Refused "text-special-id"
        "`{key}` is {id}, but there are only {tokens} tokens"
        "`{key}` es {id}, pero solo hay {tokens} tokens"
        "convert the file again from its source"
        "convierte de nuevo el fichero desde su origen";
    SPECIAL_MISSING Refused "text-special-missing"
        "`{flag}` holds for this tokenizer, but the file declares no `{key}`"
        "`{flag}` vale para este tokenizador, pero el fichero no declara `{key}`"
        "convert the file again from its source"
        "convierte de nuevo el fichero desde su origen";
    SPECIAL_LONG Refused "text-special-long"
        "the text of special token {id} has {found} bytes; at most {most} are searched for in text"
        "el texto del token especial {id} tiene {found} bytes; se buscan como mucho {most} en un texto";
    SCORE Refused "text-score"
        "the score of token {id} (`tokenizer.ggml.scores`) is not a number"
        "la puntuación del token {id} (`tokenizer.ggml.scores`) no es un número"
        "convert the file again from its source"
        "convierte de nuevo el fichero desde su origen";
    BYTES_MISSING Notice "text-bytes-missing"
        "the vocabulary has no token for {count} of the bytes that text can hold (the first is {first}); they are left out of the ids"
        "el vocabulario no tiene token para {count} de los bytes que un texto puede tener (el primero es {first}); faltarán en los identificadores";
    TOKEN_DUPLICATE Notice "text-token-duplicate"
        "the text `{text}` belongs to the tokens {first} and {second}; the later one is used ({count} such texts)"
        "el texto `{text}` pertenece a los tokens {first} y {second}; se usa el posterior ({count} textos así)";
    TOKEN_NOT_UTF8 Notice "text-token-not-utf8"
        "the text of token {id} is not UTF-8; its bytes are kept ({count} such tokens)"
        "el texto del token {id} no es UTF-8; se conservan sus bytes ({count} tokens así)";
    ID_RANGE Refused "text-id-range"
        "the token id {id} is not in the vocabulary of {tokens} tokens"
        "el identificador de token {id} no está en el vocabulario de {tokens} tokens";
    TEMPLATE_SYNTAX Refused "text-template-syntax"
        "the chat template does not parse (template line {at}): {why}"
        "la plantilla de chat no se puede analizar (línea {at} de la plantilla): {why}"
        "use `--raw` to do without it; no other template is put in its place"
        "usa `--raw` para prescindir de ella; no se pone otra plantilla en su lugar";
    TEMPLATE_FAILED Refused "text-template-failed"
        "the chat template fails at its line {at}: {why}"
        "la plantilla de chat falla en su línea {at}: {why}"
        "use `--raw` to do without it"
        "usa `--raw` para prescindir de ella";
    TEMPLATE_REFUSES Refused "text-template-refuses"
        "the chat template refuses this conversation: {why}"
        "la plantilla de chat rechaza esta conversación: {why}"
        "change the conversation, or use `--raw`"
        "cambia la conversación o usa `--raw`";
    TEMPLATE_LIMIT Refused "text-template-limit"
        "the chat template does not come to an end within its limits ({why})"
        "la plantilla de chat no termina dentro de sus límites ({why})"
        "use `--raw` to do without it"
        "usa `--raw` para prescindir de ella";
}
