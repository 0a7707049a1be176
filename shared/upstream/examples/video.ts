/** Makes a video from an image: `node video.ts --vision … --key … video-model https://example.com/picture.png "Let it snow"` */
import { setTimeout as sleep } from 'node:timers/promises';
import { createIdempotencyKey } from '../index.ts';
import { createFromCommandLine } from './client.ts';

const POLL_MS = 1_000;
const { upstream, words } = createFromCommandLine();
const [model = '', image_url = '', prompt = 'Let it move'] = words;
const { vision } = upstream;

const handle = await vision.submit({
  model,
  input: { prompt, image_url },
  idempotencyKey: createIdempotencyKey('example', model, image_url, prompt),
});
for (let state = ''; ; await sleep(POLL_MS)) {
  const status = await vision.status(handle);
  if (status.state !== state) process.stdout.write(`${status.state}\n`);
  state = status.state;
  if (state === 'queued' || state === 'running' || state === 'unknown') continue;
  if (state === 'done') process.stdout.write(`${JSON.stringify((await vision.result(handle)).value)}\n`);
  break;
}
await upstream.close();
