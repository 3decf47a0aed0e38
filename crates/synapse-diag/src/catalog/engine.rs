//! Loading, sessions and generation.

entries! {
    UNKNOWN_ARCHITECTURE Refused "unknown-architecture"
        "no definition of the architecture `{name}`; known: {known}"
        "no hay definición de la arquitectura `{name}`; conocidas: {known}"
        "write `{name}.archdef` and name its folder with SYNSEMA_INFER_ARCHDEF; `synsema arch show` prints one to begin from"
        "escribe `{name}.archdef` y nombra su carpeta con SYNSEMA_INFER_ARCHDEF; `synsema arch show` muestra una para empezar";
    UNKNOWN_ARCHITECTURE_SOME_BROKEN Refused "unknown-architecture-some-broken"
        "no definition of the architecture `{name}`; known: {known}; not loaded because of errors: {broken}"
        "no hay definición de la arquitectura `{name}`; conocidas: {known}; no cargadas por errores: {broken}"
        "write `{name}.archdef` and name its folder with SYNSEMA_INFER_ARCHDEF; `synsema check` shows the errors of one"
        "escribe `{name}.archdef` y nombra su carpeta con SYNSEMA_INFER_ARCHDEF; `synsema check` muestra los errores de una";
    DEFINITION_BROKEN Refused "definition-broken"
        "the definition of `{name}` did not load, so models of this architecture cannot run"
        "la definición de `{name}` no se cargó, así que los modelos de esta arquitectura no pueden ejecutarse"
        "mend the errors below; the built-in definition is not put in its place"
        "corrige los errores de abajo; la definición incluida no ocupa su lugar";
    PROMPT_TOO_LONG Refused "prompt-too-long"
        "the prompt has {tokens} tokens; the context holds {context}"
        "la entrada tiene {tokens} tokens; en el contexto caben {context}"
        "shorten it, or raise `--ctx` (this model allows up to {most})"
        "acórtala, o sube `--ctx` (este modelo admite hasta {most})";
    PROMPT_EMPTY Refused "prompt-empty"
        "the prompt has no tokens"
        "la entrada no tiene tokens"
        "give at least one character"
        "da al menos un carácter";
    CONTEXT_TOO_LARGE Refused "context-too-large"
        "a context of {asked} tokens was asked for; the model was made for {most}"
        "se ha pedido un contexto de {asked} tokens; el modelo está hecho para {most}"
        "use `--ctx {most}` or less"
        "usa `--ctx {most}` o menos";
    MEMORY_TOO_LITTLE Refused "memory-too-little"
        "a context of {context} tokens needs {needed} of memory; {available} are free"
        "un contexto de {context} tokens necesita {needed} de memoria; hay {available} libres"
        "lower `--ctx`, or use `--kv f16`"
        "baja `--ctx`, o usa `--kv f16`";
    TOKEN_OUT_OF_RANGE Refused "token-out-of-range"
        "token id {id} at position {position} is outside the vocabulary of {vocabulary}"
        "el identificador {id} en la posición {position} está fuera del vocabulario de {vocabulary}"
        "use ids of this model, from 0 to {last}"
        "usa identificadores de este modelo, de 0 a {last}";
    NO_LOGITS Refused "no-logits"
        "the model `{name}` yields one row of numbers per token and no logits: it cannot generate text"
        "el modelo `{name}` da una fila de números por token y no logits: no puede generar texto"
        "use `synsema logits` to get its rows"
        "usa `synsema logits` para obtener sus filas";
    VOCABULARY_DISAGREES Refused "vocabulary-disagrees"
        "the tokenizer has {tokens} tokens, but the embedding table has {rows} rows"
        "el tokenizador tiene {tokens} tokens, pero la tabla de embeddings tiene {rows} filas"
        "the file is damaged or was put together from two models; fetch it again"
        "el fichero está dañado o mezcla dos modelos; descárgalo de nuevo";
    TOKENIZER_UNUSABLE Notice "tokenizer-unusable"
        "text cannot be used with this model: {reason}"
        "con este modelo no se puede usar texto: {reason}";
    END_IDS_NONE Notice "end-ids-none"
        "the model names no token that ends an answer: generation runs to the asked length"
        "el modelo no nombra ningún token que termine una respuesta: se genera hasta la longitud pedida";
    THREADS_FAILED Failed "threads-failed"
        "worker threads could not be started: {reason}"
        "no se pudieron iniciar los hilos de trabajo: {reason}"
        "use fewer with `--threads`"
        "usa menos con `--threads`";
}
