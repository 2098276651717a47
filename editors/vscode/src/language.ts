/** The names that this extension goes by in VS Code. */

/** The language of definitions. */
export const LANGUAGE = 'loop-toml';
/** The scheme of run documents. */
export const RUN_SCHEME = 'loopls-run';
/** The scheme of a test that is shown before it is added to its definition. */
export const ENTRY_SCHEME = 'loopls-test';
/** The scheme of what the server of a tool offers. */
export const PROBE_SCHEME = 'loopls-probe';
/** The scheme of the documents of single calls. */
export const CALL_SCHEME = 'loopls-call';
