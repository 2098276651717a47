/** A model that is played by a test: a server of chat completions, whose replies come piece by piece when the test says so. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from './waiting.ts';

export class Model {
  private readonly server = createServer((request, response) => {
    // What is asked does not matter, only that it is.
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      this.asked.push(response);
    });
  });
  private readonly asked: ServerResponse[] = [];
  private calls = 0;

  static async start(): Promise<Model> {
    const model = new Model();
    await new Promise<void>(resolve => model.server.listen(0, '127.0.0.1', resolve));
    return model;
  }

  /** A definition named `played` that asks it, with a tool `note`. */
  get definition(): string {
    const { port } = this.server.address() as AddressInfo;
    return [
      'name = "played"',
      'prompt = "Go."',
      `model = { provider = "openai-compatible", name = "m", base_url = "http://127.0.0.1:${port}" }`,
      '[[tools]]',
      'name = "note"',
      'description = "Says a word."',
      'command = ["echo", "a word"]',
      'effect = "read"',
      '',
    ].join('\n');
  }

  /** Waits until it is asked, for the first time or again. */
  async next(): Promise<void> {
    await until('the model to be asked', () => this.asked.length > 0);
  }

  /** Says some more of its reply. */
  say(content: string): void {
    this.send({ content });
  }

  /** Ends its reply with a call of a tool, or without one. */
  end(tool?: string): void {
    if (tool !== undefined) {
      this.calls += 1;
      const call = { id: `call${this.calls}`, type: 'function', function: { name: tool, arguments: '{}' } };
      this.send({ tool_calls: [{ index: 0, ...call }] });
    }
    this.send({}, tool === undefined ? 'stop' : 'tool_calls');
    this.asked.shift()?.end('data: [DONE]\n\n');
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private send(delta: object, finish_reason: string | null = null): void {
    const chunk = { object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] };
    this.asked[0]?.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
}
