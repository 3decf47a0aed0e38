//! Definitions (`.archdef`): syntax and checks that need no model file.

entries! {
    // The file as bytes.
    UNREADABLE Refused "archdef-unreadable"
        "the definition cannot be read ({reason})"
        "no se puede leer la definición ({reason})"
        "check the file and its permissions; the built-in definition of that name is not used instead"
        "revisa el fichero y sus permisos; no se usa en su lugar la definición incorporada de ese nombre";
    NOT_A_FILE Refused "archdef-not-a-file"
        "not a regular file"
        "no es un fichero normal"
        "a definition is a text file; remove this or rename it"
        "una definición es un fichero de texto; quita esto o cámbiale el nombre";
    FOLDER_UNREADABLE Refused "archdef-folder-unreadable"
        "the folder of definitions cannot be read ({reason})"
        "no se puede leer la carpeta de definiciones ({reason})"
        "create the folder or unset it: while it cannot be read, no architecture is available, since a definition in it might replace a built-in one"
        "crea la carpeta o quita el ajuste: mientras no se pueda leer, ninguna arquitectura está disponible, porque una definición suya podría sustituir a una incorporada";
    TOO_MANY_FILES Refused "archdef-too-many-files"
        "the folder holds more than {limit} definitions"
        "la carpeta contiene más de {limit} definiciones"
        "keep only the definitions that are used"
        "deja solo las definiciones que se usan";
    TOO_MANY_BYTES Refused "archdef-too-many-bytes"
        "the definition has {bytes} bytes; the limit is {limit}"
        "la definición tiene {bytes} bytes; el límite es {limit}"
        "this is hardly a definition; shorten its comments if it is"
        "difícilmente es una definición; si lo es, acorta sus comentarios";
    NOT_UTF8 Refused "archdef-not-utf8"
        "not UTF-8 text: the byte {byte} at offset {offset} begins no character"
        "no es texto UTF-8: el byte {byte} en la posición {offset} no empieza ningún carácter"
        "save the file as UTF-8"
        "guarda el fichero como UTF-8";
    BYTE_ORDER_MARK Refused "archdef-byte-order-mark"
        "the file starts with a byte order mark"
        "el fichero empieza con una marca de orden de bytes"
        "save it as UTF-8 without a mark (BOM)"
        "guárdalo como UTF-8 sin marca (BOM)";
    CONTROL_CHARACTER Refused "archdef-control-character"
        "the character {character} cannot stand in a definition: it hides or moves text"
        "el carácter {character} no puede estar en una definición: oculta o mueve texto"
        "remove it"
        "quítalo";
    TOO_MANY_LINES Refused "archdef-too-many-lines"
        "the definition has more than {limit} lines"
        "la definición tiene más de {limit} líneas"
        "shorten it"
        "acórtala";
    LINE_TOO_LONG Refused "archdef-line-too-long"
        "the line has {bytes} bytes; the limit is {limit}"
        "la línea tiene {bytes} bytes; el límite es {limit}"
        "break the comment, or shorten the names"
        "parte el comentario o acorta los nombres";
    MORE_FINDINGS Refused "archdef-more-findings"
        "{count} more findings are not shown"
        "hay {count} hallazgos más que no se muestran"
        "mend those above first"
        "corrige primero los de arriba";

    // Header lines.
    MISSING_HEADER Refused "archdef-missing-header"
        "the header line `{form}` is missing"
        "falta la línea de cabecera `{form}`"
        "write it before `prologue`"
        "escríbela antes de `prologue`";
    DUPLICATE_HEADER Refused "archdef-duplicate-header"
        "`{name}` stands twice; the first is in line {first}"
        "`{name}` aparece dos veces; la primera está en la línea {first}"
        "keep one of them"
        "deja solo una";
    HEADER_AFTER_SECTION Refused "archdef-header-after-section"
        "the header line `{name}` stands after a section has begun"
        "la línea de cabecera `{name}` está después de que empiece una sección"
        "move it before `prologue`"
        "muévela antes de `prologue`";
    UNKNOWN_LINE Refused "archdef-unknown-line"
        "`{word}` begins no header line, section or step"
        "`{word}` no empieza ninguna línea de cabecera, sección ni paso"
        "a line is a header such as `kind decoder`, a section such as `block`, or a step such as `h = rms_norm(x, TENSOR)`"
        "una línea es una cabecera como `kind decoder`, una sección como `block` o un paso como `h = rms_norm(x, TENSOR)`";
    BAD_NAME Refused "archdef-bad-name"
        "`{name}` cannot be an architecture's name"
        "`{name}` no puede ser el nombre de una arquitectura"
        "use 1 to {limit} of: lower-case letters, digits, `_`, `-`, `.`; a letter or digit first"
        "usa de 1 a {limit} de estos: minúsculas, cifras, `_`, `-`, `.`; primero una letra o una cifra";
    NAME_MISMATCH Refused "archdef-name-mismatch"
        "the file is named `{expected}.archdef` but declares `arch {name}`"
        "el fichero se llama `{expected}.archdef` pero declara `arch {name}`"
        "write `arch {expected}`, or rename the file to `{name}.archdef`"
        "escribe `arch {expected}` o cambia el nombre del fichero a `{name}.archdef`";
    UNKNOWN_KIND Refused "archdef-unknown-kind"
        "no such kind `{name}`"
        "no existe el tipo `{name}`"
        "the kinds are `decoder` and `embedding`"
        "los tipos son `decoder` y `embedding`";
    UNKNOWN_PARAM Refused "archdef-unknown-param"
        "no such parameter `{name}`"
        "no existe el parámetro `{name}`"
        "the parameters are: {known}; what the model file declares is not repeated"
        "los parámetros son: {known}; lo que declara el fichero del modelo no se repite";
    PARAM_VALUE Refused "archdef-param-value"
        "`{name}` cannot be {value}"
        "`{name}` no puede ser {value}"
        "write a whole number from {least} to {greatest}"
        "escribe un número entero de {least} a {greatest}";
    EMPTY_REASON Refused "archdef-empty-reason"
        "`{line}` gives no reason"
        "`{line}` no da ninguna razón"
        "say between the quotes why"
        "di entre las comillas por qué";

    // Sections.
    MISSING_SECTION Refused "archdef-missing-section"
        "the section `{name}` is missing"
        "falta la sección `{name}`"
        "a definition has `prologue`, `block` and `epilogue`, in this order"
        "una definición tiene `prologue`, `block` y `epilogue`, en este orden";
    DUPLICATE_SECTION Refused "archdef-duplicate-section"
        "the section `{name}` stands twice; the first is in line {first}"
        "la sección `{name}` aparece dos veces; la primera está en la línea {first}"
        "join them"
        "júntalas";
    SECTION_ORDER Refused "archdef-section-order"
        "the section `{name}` stands after `{after}`"
        "la sección `{name}` está después de `{after}`"
        "the order is `prologue`, `block`, `epilogue`"
        "el orden es `prologue`, `block`, `epilogue`";
    STEP_OUTSIDE_SECTION Refused "archdef-step-outside-section"
        "a step stands before the first section"
        "hay un paso antes de la primera sección"
        "write `prologue` above it"
        "escribe `prologue` encima";

    // The text of a line.
    UNEXPECTED Refused "archdef-unexpected"
        "`{found}` stands where `{expected}` should"
        "`{found}` está donde debería estar `{expected}`";
    LINE_ENDS Refused "archdef-line-ends"
        "the line ends where `{expected}` should stand"
        "la línea acaba donde debería estar `{expected}`";
    TRAILING Refused "archdef-trailing"
        "`{found}` stands after the end of what the line says"
        "`{found}` está después del final de lo que dice la línea"
        "one line says one thing; a comment starts with `#`"
        "una línea dice una sola cosa; un comentario empieza por `#`";
    NUMBER Refused "archdef-number"
        "`{text}` is not a finite number"
        "`{text}` no es un número finito"
        "write it like `16`, `0.5` or `1e-6`"
        "escríbelo como `16`, `0.5` o `1e-6`";
    REGISTER_NAME Refused "archdef-register-name"
        "`{name}` cannot be a register"
        "`{name}` no puede ser un registro"
        "a register is 1 to {limit} letters, digits and `_`, a letter first, and none of the language's own words"
        "un registro son de 1 a {limit} letras, cifras y `_`, primero una letra, y ninguna de las palabras del lenguaje";
    TENSOR_NAME Refused "archdef-tensor-name"
        "`{name}` cannot be a tensor's name"
        "`{name}` no puede ser el nombre de un tensor"
        "braces hold only the layer's index, `{index}`"
        "las llaves contienen solo el índice de la capa, `{index}`";
    INDEX_OUTSIDE_BLOCK Refused "archdef-index-outside-block"
        "`{name}` has a layer's index, and `{section}` has no layer"
        "`{name}` lleva el índice de una capa, y `{section}` no tiene capas"
        "only tensors of the block have `{index}`"
        "solo los tensores del bloque llevan `{index}`";
    OPTIONAL_OPERAND Refused "archdef-optional-operand"
        "`{name}` is optional, but `{op}` gives a new register and cannot vanish"
        "`{name}` es opcional, pero `{op}` da un registro nuevo y no puede desaparecer"
        "remove the `?`; only the tensor of a step that changes a register in place, or of an option, is optional"
        "quita el `?`; solo es opcional el tensor de un paso que cambia un registro en el sitio, o el de una opción";
    TOO_MANY_ALTERNATIVES Refused "archdef-too-many-alternatives"
        "more than {limit} alternatives"
        "más de {limit} alternativas"
        "keep the names that model files really use"
        "deja los nombres que usan de verdad los ficheros de modelos";
    EXPRESSION_DEPTH Refused "archdef-expression-depth"
        "the expression is nested more than {limit} deep"
        "la expresión está anidada en más de {limit} niveles"
        "simplify it"
        "simplifícala";
    EXPRESSION_TYPE Refused "archdef-expression-type"
        "`{found}` is a truth value where a number should stand"
        "`{found}` es un valor de verdad donde debería estar un número"
        "write a number, a key or an expression of them"
        "escribe un número, una clave o una expresión de ellos";

    // Operations.
    NO_SUCH_OPERATION Refused "archdef-no-such-operation"
        "no such operation `{name}`"
        "no existe la operación `{name}`"
        "`synsema arch list --operations` shows all of them"
        "`synsema arch list --operations` las muestra todas";
    FORM_ASSIGN Refused "archdef-form-assign"
        "`{op}` gives a new register, which must be assigned"
        "`{op}` da un registro nuevo, que hay que asignar"
        "write it as `{form}`"
        "escríbelo como `{form}`";
    FORM_IN_PLACE Refused "archdef-form-in-place"
        "`{op}` changes its first register in place and is not assigned"
        "`{op}` cambia su primer registro en el sitio y no se asigna"
        "write it as `{form}`"
        "escríbelo como `{form}`";
    OPERAND_COUNT Refused "archdef-operand-count"
        "`{op}` takes {expected}, not {found} operands"
        "`{op}` lleva {expected} operandos, no {found}"
        "write it as `{form}`"
        "escríbelo como `{form}`";
    OPERAND_AFTER_OPTION Refused "archdef-operand-after-option"
        "the operand `{found}` stands after an option"
        "el operando `{found}` está después de una opción"
        "operands come first: `{form}`"
        "primero van los operandos: `{form}`";
    WRONG_SECTION Refused "archdef-wrong-section"
        "`{op}` cannot stand in `{section}`"
        "`{op}` no puede estar en `{section}`"
        "move it to: {allowed}"
        "muévelo a: {allowed}";
    NO_SUCH_OPTION Refused "archdef-no-such-option"
        "`{op}` has no option `{name}`"
        "`{op}` no tiene la opción `{name}`"
        "its options: {known}"
        "sus opciones: {known}";
    DUPLICATE_OPTION Refused "archdef-duplicate-option"
        "the option `{name}` stands twice"
        "la opción `{name}` aparece dos veces"
        "keep one of them"
        "deja solo una";
    OPTION_WITHOUT_VALUE Refused "archdef-option-without-value"
        "the option `{name}` has no value"
        "la opción `{name}` no tiene valor"
        "write `{name}=VALUE`"
        "escribe `{name}=VALOR`";
    FLAG_WITH_VALUE Refused "archdef-flag-with-value"
        "the option `{name}` takes no value"
        "la opción `{name}` no lleva valor"
        "write just `{name}`, or leave it out"
        "escribe solo `{name}`, o quítala";
    OPTION_TRUTH Refused "archdef-option-truth"
        "the option `{name}` cannot be `{found}`"
        "la opción `{name}` no puede ser `{found}`"
        "write `true`, `false`, or a key that holds one of them"
        "escribe `true`, `false` o una clave que contenga uno de ellos";
    TOO_MANY_STEPS Refused "archdef-too-many-steps"
        "the definition has more than {limit} steps"
        "la definición tiene más de {limit} pasos"
        "the block is written once for all layers"
        "el bloque se escribe una sola vez para todas las capas";
    TOO_MANY_REGISTERS Refused "archdef-too-many-registers"
        "the definition has more than {limit} registers"
        "la definición tiene más de {limit} registros"
        "assign to a register again once its value is no longer needed"
        "vuelve a asignar un registro cuando ya no haga falta su valor";

    // The flow of registers.
    REGISTER_UNASSIGNED Refused "archdef-register-unassigned"
        "the register `{name}` is used before it is assigned"
        "el registro `{name}` se usa antes de asignarse"
        "assign it in an earlier step"
        "asígnalo en un paso anterior";
    REGISTER_OF_A_LAYER Refused "archdef-register-of-a-layer"
        "the register `{name}` is assigned in the block (line {first}) and does not outlive its layer"
        "el registro `{name}` se asigna en el bloque (línea {first}) y no sobrevive a su capa"
        "only `x` links the layers; assign `{name}` before this step"
        "solo `x` enlaza las capas; asigna `{name}` antes de este paso";
    NO_RESIDUAL Refused "archdef-no-residual"
        "the prologue does not assign `x`"
        "el prólogo no asigna `x`"
        "`x` is what the layers pass on, such as `x = embed(token_embd.weight)`"
        "`x` es lo que se pasan las capas, como `x = embed(token_embd.weight)`";
    BLOCK_IGNORES_RESIDUAL Refused "archdef-block-ignores-residual"
        "the block does not use `x`"
        "el bloque no usa `x`"
        "`x` is the residual that links the layers; read it"
        "`x` es el residuo que enlaza las capas; léelo";
    BLOCK_LEAVES_NOTHING Refused "archdef-block-leaves-nothing"
        "the block does not change `x`"
        "el bloque no cambia `x`"
        "a layer passes its result on in `x`, such as `add(x, o)`"
        "una capa pasa su resultado en `x`, como `add(x, o)`";
    NO_ATTENTION Refused "archdef-no-attention"
        "the block has no `attention`"
        "el bloque no tiene `attention`"
        "without it no position sees another; write `a = attention(q, k, v)`"
        "sin ella ninguna posición ve a otra; escribe `a = attention(q, k, v)`";
    NO_OUTPUT Refused "archdef-no-output"
        "the epilogue of a definition of the kind `{kind}` must end with `{register}`"
        "el epílogo de una definición del tipo `{kind}` debe acabar con `{register}`"
        "assign `{register}` in the last step"
        "asigna `{register}` en el último paso";
    LOGITS_IN_EMBEDDING Refused "archdef-logits-in-embedding"
        "a definition of the kind `embedding` has no `logits`"
        "una definición del tipo `embedding` no tiene `logits`"
        "end with `rows`, or declare `kind decoder`"
        "acaba con `rows`, o declara `kind decoder`";

    // The library of definitions.
    UNKNOWN_ARCHITECTURE Refused "archdef-unknown-architecture"
        "no definition of the architecture `{name}`; known: {known}; not loaded: {broken}"
        "no hay definición de la arquitectura `{name}`; conocidas: {known}; no cargadas: {broken}"
        "write `{name}.archdef` in a folder of your own and name the folder in SYNSEMA_INFER_ARCHDEF"
        "escribe `{name}.archdef` en una carpeta tuya e indica la carpeta en SYNSEMA_INFER_ARCHDEF";
    BROKEN_ARCHITECTURE Refused "archdef-broken-architecture"
        "the definition of the architecture `{name}` did not load; the first of its {count} findings: {finding}"
        "la definición de la arquitectura `{name}` no se cargó; el primero de sus {count} hallazgos: {finding}"
        "mend it (`synsema check` shows every finding); a built-in definition is never used in its place"
        "corrígela (`synsema check` muestra todos los hallazgos); nunca se usa en su lugar una definición incorporada";
}
