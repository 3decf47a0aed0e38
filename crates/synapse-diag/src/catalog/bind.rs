//! Binding a definition to a model file: keys, tensors, shapes; and the verifier of the graph.

entries! {
    KEY_VALUE Refused "bind-key-value"
        "the metadata key `{key}` is {value}, which is not acceptable: {why}"
        "la clave de metadatos `{key}` vale {value}, que no es aceptable: {why}";
    REFUSED_BY_DEFINITION Refused "bind-refused-by-definition"
        "the definition `{arch}` does not describe a file whose `{key}` is {value}: {reason}"
        "la definición `{arch}` no describe un fichero cuya `{key}` vale {value}: {reason}"
        "put a definition that describes it in a folder of your own and name the folder in SYNSEMA_INFER_ARCHDEF"
        "pon una definición que lo describa en una carpeta tuya e indica la carpeta en SYNSEMA_INFER_ARCHDEF";
    KEY_UNUSED Refused "bind-key-unused"
        "the metadata key `{key}` ({value}) changes the model, but no step of the definition `{arch}` uses it"
        "la clave de metadatos `{key}` ({value}) cambia el modelo, pero ningún paso de la definición `{arch}` la usa"
        "use it in a step, or waive it in the open with `ignore {short} \"reason\"`"
        "úsala en un paso o renuncia a ella a la vista con `ignore {short} \"motivo\"`";
    SCALING_UNKNOWN Refused "bind-rope-scaling"
        "the file asks for the rotary scaling `{kind}`, which `{arch}` does not apply"
        "el fichero pide el escalado rotatorio `{kind}`, que `{arch}` no aplica"
        "known are: none, linear"
        "se conocen: none, linear";
    TENSOR_MISSING Refused "bind-tensor-missing"
        "the tensor {name} is missing"
        "falta el tensor {name}"
        "the file is incomplete, or the definition `{arch}` does not fit it"
        "el fichero está incompleto o la definición `{arch}` no le corresponde";
    TENSOR_UNUSED Refused "bind-tensor-unused"
        "no step of the definition `{arch}` reads the tensor `{name}` {shape}"
        "ningún paso de la definición `{arch}` lee el tensor `{name}` {shape}"
        "read it in a step, or waive it in the open with `ignore {name} \"reason\"`"
        "léelo en un paso o renuncia a él a la vista con `ignore {name} \"motivo\"`";
    TENSOR_SHAPE Refused "bind-tensor-shape"
        "`{op}`: the tensor `{name}` has the shape {found}, but {wanted} is needed"
        "`{op}`: el tensor `{name}` tiene la forma {found}, pero se necesita {wanted}"
        "the definition `{arch}` and the file disagree: check the step, or use the definition made for this file"
        "la definición `{arch}` y el fichero no concuerdan: revisa el paso o usa la definición hecha para este fichero";
    REGISTER_SHAPE Refused "bind-register-shape"
        "`{op}`: the register `{name}` has rows of {found}, but {wanted} is needed"
        "`{op}`: el registro `{name}` tiene filas de {found}, pero se necesita {wanted}"
        "check the step and the heads that it names"
        "revisa el paso y las cabezas que nombra";
    ROWS_DISAGREE Refused "bind-rows-disagree"
        "`{op}`: `{a}` holds a row for every token and `{b}` only the selected ones"
        "`{op}`: `{a}` tiene una fila por cada token y `{b}` solo las seleccionadas"
        "apply `last` to both, or after this step"
        "aplica `last` a ambos o después de este paso";
    CONSTANT Refused "bind-constant"
        "the constant of `{op}` is {value}, but {wanted} is needed"
        "la constante de `{op}` vale {value}, pero se necesita {wanted}";
    VOCABULARY Refused "bind-vocabulary"
        "the tokenizer lists {tokens} tokens, but `{tensor}` has {rows} rows"
        "el tokenizador enumera {tokens} tokens, pero `{tensor}` tiene {rows} filas"
        "the file was put together from parts of different models"
        "el fichero se compuso con partes de modelos distintos";
    LOGITS_WIDTH Refused "bind-logits-width"
        "`logits` has rows of {found}, but the vocabulary holds {vocabulary} tokens"
        "`logits` tiene filas de {found}, pero el vocabulario contiene {vocabulary} tokens"
        "check the last matmul of the definition"
        "revisa el último matmul de la definición";
    IGNORE_UNKNOWN Notice "bind-ignore-unknown"
        "`ignore {name}`: the file has no such tensor or key"
        "`ignore {name}`: el fichero no tiene ese tensor ni esa clave";
    MORE Refused "bind-more"
        "{count} further findings are not shown"
        "no se muestran otros {count} hallazgos";
    GRAPH Refused "ir-inconsistent"
        "the graph contradicts itself: {what}"
        "el grafo se contradice: {what}"
        "this is a fault of the program that built the graph"
        "es un fallo del programa que construyó el grafo";
}
