/**
 * A process that decodes a recording into chunks, or encodes speech as a voice message, and prints the duration and
 * the peak memory: `node media-run.js listen|speak THREAD FILE`. Bundled, as the function is.
 */
import { openSync, readFileSync, readSync, statSync } from 'node:fs';
import { createMedia } from '../../shared/media/index.ts';
import { systemTime } from '../../shared/runtime/time.ts';

const [, , what, thread = '', file = ''] = process.argv;
const bytes = new Uint8Array(new SharedArrayBuffer(statSync(file).size));
readSync(openSync(file, 'r'), bytes, 0, bytes.length, 0);
const { decode: listen, encodeSpeech: speak } = createMedia({ entryFile: thread, time: systemTime });

const cpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

async function run(): Promise<void> {
  const before = cpu();
  const begin = performance.now();
  if (what === 'speak') await speak(bytes, 'ogg');
  else for await (const _ of listen(bytes, { maxMs: 25 * 60_000 }));
  const seconds = (performance.now() - begin) / 1000;
  // Not `resourceUsage`, whose maximum includes the process that started this one.
  const mb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;
  process.stdout.write(JSON.stringify({ seconds, cpu: cpu() - before, mb }));
}
void run();
