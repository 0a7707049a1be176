import { expect, test } from '@jest/globals';
import { decodeRecording } from '../decode-recording.ts';

const code = (source: string) => new URL(`data:text/javascript,${encodeURIComponent(source)}`);
const bytes = new Uint8Array(10);

test('a thread that crashes or fills the memory is an error, and the process survives', async () => {
  await expect(
    decodeRecording(bytes, {}, { entryFile: code('throw new Error("no")') }),
  ).rejects.toMatchObject({
    kind: 'broken',
  });
  const silent = code(
    'import { parentPort } from "node:worker_threads"; parentPort.on("message", () => undefined);',
  );
  const filling = code('const chunks = []; for (;;) chunks.push(new Uint8Array(1e6));');
  await expect(decodeRecording(bytes, {}, { entryFile: filling })).rejects.toMatchObject({ kind: 'large' });
  await expect(decodeRecording(bytes, {}, { entryFile: silent, timeoutMs: 100 })).rejects.toMatchObject({
    kind: 'slow',
  });
});

test('audio decoded before a thread was stopped is kept and reported as partial', async () => {
  const thread = code(`
    import { parentPort, workerData } from "node:worker_threads";
    // As the thread's own splitter leaves it: a second behind one piece of 25 s. See createPendingBuffer.
    new Int32Array(workerData.pendingBuffer, 0, 3).set([400000, 16000, 1]);
    new Int16Array(workerData.pendingBuffer, 12, 16000).fill(5000);
    const events = [
      { type: 'begin', container: 'ogg', codec: 'opus' },
      { type: 'chunk', n: 0, wav: new Uint8Array(44), fromMs: 0, toMs: 25000, last: false },
    ];
    parentPort.on("message", () => {
      if (events.length > 0) parentPort.postMessage({ type: 'next', value: events.shift() });
    });`);
  expect(await decodeRecording(bytes, {}, { entryFile: thread, timeoutMs: 2000 })).toMatchObject({
    chunks: [
      { n: 0, last: false },
      { n: 1, fromMs: 25_000, toMs: 26_000, last: true },
    ],
    end: { ms: 26_000, chunks: 2, partial: 'slow' },
  });
  expect(
    await decodeRecording(bytes, { firstChunk: 2 }, { entryFile: thread, timeoutMs: 2000 }),
  ).toMatchObject({
    end: { chunks: 2 },
  });
});
