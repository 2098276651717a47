/** Prints each test as it ends, why it failed, and at last `N passed, N failed`. */
import type { TestEvent } from 'node:test/reporters';

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let passed = 0;
  let failed = 0;
  for await (const { type, data } of events) {
    if (type === 'test:pass') {
      passed += 1;
      yield `✓ ${data.name} (${Math.round(data.details.duration_ms)} ms)\n`;
    } else if (type === 'test:fail') {
      failed += 1;
      const { error } = data.details;
      yield `✗ ${data.name}\n${error.cause instanceof Error ? error.cause.stack : error.message}\n`;
    } else if (type === 'test:stderr' || type === 'test:stdout') {
      yield data.message;
    }
  }
  yield `${passed} passed, ${failed} failed\n`;
}
