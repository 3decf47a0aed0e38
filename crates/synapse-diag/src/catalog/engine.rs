//! Loading, sessions and generation.

entries! {
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
    NO_LOGITS Refused "no-logits"
        "the model `{name}` yields one row of numbers per token and no logits: it cannot generate text"
        "el modelo `{name}` da una fila de números por token y no logits: no puede generar texto"
        "use `synsema logits` to get its rows"
        "usa `synsema logits` para obtener sus filas";
    NO_TOKENIZER Refused "no-tokenizer"
        "the file has no tokenizer (`tokenizer.ggml.model` is {found}), so text cannot be turned into tokens"
        "el fichero no tiene tokenizador (`tokenizer.ggml.model` {found}), así que el texto no puede convertirse en tokens"
        "use `synsema logits --tokens`, or a file with a tokenizer"
        "usa `synsema logits --tokens`, o un fichero con tokenizador";
    NO_TOKENIZER_NOTICE Notice "no-tokenizer-notice"
        "the file has no tokenizer: the model runs on token ids, not on text"
        "el fichero no tiene tokenizador: el modelo funciona con identificadores, no con texto";
    NO_END_TOKEN Notice "no-end-token"
        "the model names no token that ends an answer: text is generated up to the asked length"
        "el modelo no nombra ningún token que termine una respuesta: se genera texto hasta la longitud pedida";
    TEMPLATE_PROBE Notice "template-probe"
        "the chat template fails on a conversation of one user message: {reason}"
        "la plantilla de conversación falla con un solo mensaje de usuario: {reason}"
        "use `--raw`, which needs no template"
        "usa `--raw`, que no necesita plantilla";
    WEIGHTS_NOT_FINITE Refused "weights-not-finite"
        "the tensor `{name}` holds {count} values that are NaN or infinite, the first in row {row}"
        "el tensor `{name}` contiene {count} valores que son NaN o infinitos, el primero en la fila {row}"
        "the file is damaged or was converted wrongly; fetch it again"
        "el fichero está dañado o mal convertido; descárgalo de nuevo";
}
