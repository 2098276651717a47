/** The names that this extension goes by in VS Code. */

/** The language of definitions. */
export const LANGUAGE = 'loop-toml';
/** The scheme of run documents. */
export const RUN_SCHEME = 'loopls-run';
/** The scheme of the documents of single calls. */
export const CALL_SCHEME = 'loopls-call';
