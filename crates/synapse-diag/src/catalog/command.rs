//! The command line, its settings and its files.

entries! {
    DOTENV_TOO_LARGE Usage "dotenv-too-large"
        "the file has {found} bytes; at most {most} are read"
        "el fichero tiene {found} bytes; se leen {most} como mucho"
        "keep only settings in it"
        "deja en él solo los ajustes";
    DOTENV_NOT_UTF8 Usage "dotenv-not-utf8"
        "the text is not UTF-8"
        "el texto no es UTF-8"
        "save the file as UTF-8"
        "guarda el fichero como UTF-8";
    DOTENV_NO_EQUALS Usage "dotenv-no-equals"
        "`{found}` is not an assignment"
        "`{found}` no es una asignación"
        "write NAME=VALUE, or begin the line with `#`"
        "escribe NOMBRE=VALOR, o empieza la línea con `#`";
    DOTENV_NAME Usage "dotenv-name"
        "`{name}` is not the name of a variable"
        "`{name}` no es el nombre de una variable"
        "use letters, digits and `_`, and begin with a letter"
        "usa letras, cifras y `_`, y empieza por una letra";
    DOTENV_QUOTE Usage "dotenv-quote"
        "the quote {quote} is never closed"
        "la comilla {quote} no se cierra nunca"
        "close it, or write the value without quotes"
        "ciérrala, o escribe el valor sin comillas";
    DOTENV_ESCAPE Usage "dotenv-escape"
        "`\\{found}` means nothing inside double quotes"
        "`\\{found}` no significa nada entre comillas dobles"
        "write `\\\\` for one backslash, or use single quotes"
        "escribe `\\\\` para una barra inversa, o usa comillas simples";
    DOTENV_AFTER_QUOTE Usage "dotenv-after-quote"
        "`{found}` stands after the closing quote"
        "`{found}` está después de la comilla que cierra"
        "put it inside the quotes, or `#` before it"
        "ponlo entre las comillas, o `#` delante";
    DOTENV_TWICE Usage "dotenv-twice"
        "{name} is already set in line {first}"
        "{name} ya tiene valor en la línea {first}"
        "keep one of the two"
        "deja una de las dos";
    DOTENV_NUL Usage "dotenv-nul"
        "the value of {name} holds a NUL character"
        "el valor de {name} contiene un carácter NUL"
        "remove it"
        "quítalo";
    DOTENV_VALUE_TOO_LONG Usage "dotenv-value-too-long"
        "the value of {name} has more than {most} bytes"
        "el valor de {name} tiene más de {most} bytes"
        "shorten it"
        "acórtalo";
    DOTENV_TOO_MANY Usage "dotenv-too-many"
        "more than {most} assignments"
        "más de {most} asignaciones"
        "keep only settings in this file"
        "deja en este fichero solo los ajustes";
    DOTENV_UNREADABLE Failed "dotenv-unreadable"
        "cannot be read: {reason}"
        "no se puede leer: {reason}"
        "check its permissions"
        "comprueba sus permisos";

    SETTING_UNKNOWN Notice "setting-unknown"
        "{name} is not a setting; it has no effect"
        "{name} no es un ajuste; no tiene efecto"
        "`synsema llm status` lists the settings"
        "`synsema llm status` muestra los ajustes";
    SETTING_NOT_ONE_OF Usage "setting-not-one-of"
        "`{value}` is not a value of {name}"
        "`{value}` no es un valor de {name}"
        "it takes one of: {allowed}"
        "admite uno de estos: {allowed}";
    SETTING_NOT_A_NUMBER Usage "setting-not-a-number"
        "`{value}` is not a value of {name}"
        "`{value}` no es un valor de {name}"
        "it takes a whole number from {least} to {most}"
        "admite un número entero de {least} a {most}";
    SETTING_NOT_UTF8 Usage "setting-not-utf8"
        "the value of {name} is not UTF-8"
        "el valor de {name} no es UTF-8"
        "write it as UTF-8"
        "escríbelo en UTF-8";
    SETTING_TEMPERATURE Usage "setting-temperature"
        "`{value}` is not a value of {name}: this version only has greedy generation"
        "`{value}` no es un valor de {name}: esta versión solo genera de forma voraz"
        "use 0, which gives the same text each time"
        "usa 0, que da el mismo texto cada vez";
    SETTING_BACKEND Usage "setting-backend"
        "no backend `{value}` is built in ({name})"
        "no hay ningún motor `{value}` en este programa ({name})"
        "use `rust`, the engine's own"
        "usa `rust`, el propio";
    KERNELS_NOT_HERE Refused "kernels-not-here"
        "this processor cannot run the kernels `{value}` ({name})"
        "este procesador no puede ejecutar los núcleos `{value}` ({name})"
        "here these can be used: {available}; all of them give the same bits"
        "aquí se pueden usar: {available}; todos dan los mismos bits";

    NO_MODEL Refused "no-model"
        "no model is chosen: neither `--model` nor SYNSEMA_LLM_MODEL (in the environment or in ./.env) names one"
        "no hay modelo elegido: ni `--model` ni SYNSEMA_LLM_MODEL (en el entorno o en ./.env) nombran uno"
        "give the path of a GGUF file: `--model model.gguf`"
        "da la ruta de un fichero GGUF: `--model modelo.gguf`";
    NO_MODEL_SOME_HERE Refused "no-model-some-here"
        "no model is chosen: neither `--model` nor SYNSEMA_LLM_MODEL (in the environment or in ./.env) names one"
        "no hay modelo elegido: ni `--model` ni SYNSEMA_LLM_MODEL (en el entorno o en ./.env) nombran uno"
        "these are at hand: {found}; add `--model` and one of them"
        "hay estos a mano: {found}; añade `--model` y uno de ellos";

    FILE_MISSING Refused "file-missing"
        "there is no such file"
        "no existe este fichero"
        "check the path"
        "comprueba la ruta";
    FILE_IS_FOLDER Refused "file-is-folder"
        "this is a folder, not a file"
        "esto es una carpeta, no un fichero"
        "name a file in it"
        "nombra un fichero de dentro";
    FILE_UNREADABLE Failed "file-unreadable"
        "cannot be read: {reason}"
        "no se puede leer: {reason}"
        "check its permissions"
        "comprueba sus permisos";
    FILE_NOT_UTF8 Refused "file-not-utf8"
        "the text is not UTF-8: byte {offset} cannot stand there"
        "el texto no es UTF-8: el byte {offset} no puede estar ahí"
        "save the text as UTF-8"
        "guarda el texto como UTF-8";
    FILE_TOO_LARGE Refused "file-too-large"
        "more than {most} bytes"
        "más de {most} bytes"
        "split it"
        "divídelo";
    OUTPUT_FAILED Failed "output-failed"
        "cannot be written: {reason}"
        "no se puede escribir: {reason}"
        "check that the folder exists and has room; nothing was left behind"
        "comprueba que la carpeta existe y tiene sitio; no ha quedado nada a medias";

    NO_PROMPT Usage "no-prompt"
        "there is no prompt"
        "no hay texto de entrada"
        "give it as an argument, with `--prompt` or `--prompt-file`, or through a pipe"
        "dalo como argumento, con `--prompt` o `--prompt-file`, o por una tubería";
    NO_TEXT Usage "no-text"
        "there is no text"
        "no hay texto"
        "give it as an argument, with `--file`, or through a pipe"
        "dalo como argumento, con `--file`, o por una tubería";
    NO_TOKENS Usage "no-tokens"
        "there are no token ids"
        "no hay identificadores de tokens"
        "write them as 1,2,3, or name a JSON file that lists them"
        "escríbelos como 1,2,3, o nombra un fichero JSON que los contenga";
    SYSTEM_NEEDS_TEMPLATE Usage "system-needs-template"
        "a system message needs a chat template, and here none is used"
        "un mensaje de sistema necesita una plantilla de conversación, y aquí no se usa ninguna"
        "leave out `--system`, or put its text into the prompt"
        "quita `--system`, o pon su texto en la entrada";
    NO_TEMPLATE_RAW Notice "no-template-raw"
        "the model has no chat template: the prompt goes in as it is, as with `--raw`"
        "el modelo no tiene plantilla de conversación: la entrada va tal cual, como con `--raw`";
    TOKENS_NOT_NUMBERS Usage "tokens-not-numbers"
        "`{found}` is neither a list of token ids nor the path of a file"
        "`{found}` no es ni una lista de identificadores ni la ruta de un fichero"
        "write the ids as 1,2,3, or name a JSON file that lists them"
        "escribe los identificadores como 1,2,3, o nombra un fichero JSON que los contenga";
    TOKENS_JSON Refused "tokens-json"
        "not JSON: {reason}"
        "no es JSON: {reason}"
        "the file must be a list of ids, or an object with `tokens` or `input_ids`"
        "el fichero tiene que ser una lista de identificadores, o un objeto con `tokens` o `input_ids`";
    TOKENS_SHAPE Refused "tokens-shape"
        "no list of token ids in it"
        "no contiene ninguna lista de identificadores"
        "the file must be a list of ids, or an object with `tokens` or `input_ids`"
        "el fichero tiene que ser una lista de identificadores, o un objeto con `tokens` o `input_ids`";
    TOKENS_NOT_AN_ID Refused "tokens-not-an-id"
        "entry {index} of the list is `{found}`, which is not a token id"
        "el elemento {index} de la lista es `{found}`, que no es un identificador"
        "ids are whole numbers from 0"
        "los identificadores son números enteros desde 0";
    TOKENS_ENCODER Refused "tokens-encoder"
        "the file has `encoder_tokens`, but the model `{name}` has no encoder"
        "el fichero tiene `encoder_tokens`, pero el modelo `{name}` no tiene codificador"
        "use a file with `tokens` only"
        "usa un fichero que solo tenga `tokens`";

    PATH_MISSING Refused "path-missing"
        "there is no such file or folder"
        "no existe este fichero o carpeta"
        "check the path"
        "comprueba la ruta";
    NO_DEFINITIONS_IN_FOLDER Refused "no-definitions-in-folder"
        "the folder holds no `.archdef` file"
        "la carpeta no contiene ningún fichero `.archdef`"
        "name a folder that does, or a file"
        "nombra una que los contenga, o un fichero";
    OTHER_ARCHITECTURE Refused "other-architecture"
        "this defines `{name}`, but {model} declares the architecture `{declared}`"
        "esto define `{name}`, pero {model} declara la arquitectura `{declared}`"
        "check it against a model of its own architecture"
        "compruébalo con un modelo de su propia arquitectura";
    NO_DEFINITION_FOR_MODEL Refused "no-definition-for-model"
        "none of these files defines `{declared}`, the architecture of {model}"
        "ninguno de estos ficheros define `{declared}`, la arquitectura de {model}"
        "name the definition that should run it"
        "nombra la definición que debe ejecutarlo";
    NO_SUCH_DEFINITION Refused "no-such-definition"
        "no definition of an architecture `{name}`"
        "no hay ninguna definición de una arquitectura `{name}`"
        "there are: {known}"
        "hay estas: {known}";
    ARGUMENTS Usage "arguments"
        "{reason}"
        "{reason}";
}
