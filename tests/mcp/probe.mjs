// Asks the server of each definition here what it offers, as an editor does: `node probe.mjs LOOPLS`.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const server = spawn(process.argv[2], ['lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
const waiting = new Map();
let received = Buffer.alloc(0);
let last = 0;

server.stdout.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    for (;;) {
        const end = received.indexOf('\r\n\r\n');
        if (end < 0) return;
        const length = Number(/content-length: (\d+)/i.exec(received.toString('latin1', 0, end))[1]);
        if (received.length < end + 4 + length) return;
        const message = JSON.parse(received.toString('utf8', end + 4, end + 4 + length));
        received = received.subarray(end + 4 + length);
        if (message.method === undefined) waiting.get(message.id)?.(message);
    }
});

function send(message) {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

function request(method, params) {
    const id = ++last;
    send({ id, method, params });
    return new Promise((resolve, reject) => {
        waiting.set(id, ({ result, error }) => (error ? reject(new Error(error.message)) : resolve(result)));
    });
}

let passed = 0;
let failed = 0;
function check(what, holds) {
    console.log(`${holds ? '✓' : '✗'} ${what}`);
    if (holds) passed += 1;
    else failed += 1;
}

await request('initialize', {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    capabilities: {},
    initializationOptions: { trust: 'trusted' },
});
send({ method: 'initialized', params: {} });
for (const [name, tool] of [
    ['everything', 'echo'],
    ['files', 'read_text_file'],
]) {
    const path = join(folder, `${name}.loop.toml`);
    const uri = pathToFileURL(path).href;
    const text = readFileSync(path, 'utf8');
    send({
        method: 'textDocument/didOpen',
        params: { textDocument: { uri, languageId: 'loop-toml', version: 1, text } },
    });
    const command = { command: 'loopls.probe', arguments: [{ uri, tool: name }] };
    const offer = await request('workspace/executeCommand', command);
    check(`${name} offers ${offer.tools.length} tools`, offer.tools.length > 5);
    check(`${name} offers ${tool}`, offer.tools.some((each) => each.name === tool));
    check(`nothing of ${name} is left out`, offer.notices.length === 0);
}
await request('shutdown');
send({ method: 'exit' });
server.on('exit', (status) => {
    check('the server ends', status === 0);
    console.log(`${passed} passed, ${failed} failed`);
    process.exit(failed === 0 ? 0 : 1);
});
