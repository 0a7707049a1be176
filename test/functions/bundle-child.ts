import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import * as v from 'valibot';
import { bundle } from '../../infra/cdk/bundle.ts';

// A process of its own, as on Lambda: bundles the front, passes it the events from stdin one by one, and prints the
// size of the bundle and the responses.

const loaded = v.object({
  handler: v.custom<(event: unknown) => Promise<unknown>>((of) => typeof of === 'function'),
});

const dir = mkdtempSync(join(tmpdir(), 'parley-front-'));
try {
  const file = join(dir, 'index.js');
  bundle('slack-events', file);
  writeFileSync(join(dir, 'package.json'), '{"type":"commonjs"}');
  const { handler } = v.parse(loaded, createRequire(import.meta.url)(file));
  const answers: unknown[] = [];
  for (const event of v.parse(v.array(v.unknown()), await json(process.stdin)))
    answers.push(await handler(event));
  process.stdout.write(JSON.stringify({ bytes: statSync(file).size, answers }));
} finally {
  rmSync(dir, { recursive: true });
}
