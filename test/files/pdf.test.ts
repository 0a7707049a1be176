import { describe, expect, test } from '@jest/globals';
import { pdfReader, readFile } from '../../shared/files/index.ts';
import { pdf } from './pdf.ts';

const THREAD = new URL('../../shared/files/pdf-thread.ts', import.meta.url);
const HINT = { name: 'paper.pdf', mimetype: 'application/pdf' };

/** A time that passes only when told, to see what a deadline does. */
const never = { sleep: () => new Promise<void>(() => undefined) };
const atOnce = { sleep: () => Promise.resolve() };
const code = (source: string) => ({ thread: new URL(`data:text/javascript,${encodeURIComponent(source)}`) });

describe('a PDF', () => {
  const reader = pdfReader({ thread: THREAD, ...never });
  const read = (bytes: Uint8Array) => readFile(bytes, HINT, reader);
  const why = async (bytes: Uint8Array) => {
    const found = await read(bytes);
    return found.kind === 'unreadable' ? found.why : found.kind;
  };

  test('is read page by page', async () => {
    const two = pdf({ pages: ['First page', 'Second page'] });
    expect(await read(two)).toEqual({ kind: 'text', text: 'First page\n\nSecond page' });
  });

  test('is read even if other things stand before its mark', async () => {
    expect(await read(Buffer.concat([Buffer.from('\n\n'), pdf()]))).toMatchObject({ kind: 'text' });
  });

  test('with a password, damaged, or without words is explained', async () => {
    expect(await why(pdf({ locked: true }))).toBe('locked');
    expect(await why(Buffer.from('%PDF-1.7 and then nothing of it'))).toBe('broken');
    expect(await why(pdf({ pages: [''] }))).toBe('scanned');
  });

  test('two at once are read one after the other', async () => {
    const both = await Promise.all([read(pdf({ pages: ['one'] })), read(pdf({ pages: ['two'] }))]);
    expect(both).toEqual([
      { kind: 'text', text: 'one' },
      { kind: 'text', text: 'two' },
    ]);
  });

  test('cannot be read where no thread is given for it', async () => {
    expect((await readFile(pdf(), HINT)).kind).toBe('unreadable');
  });
});

describe('a hostile PDF', () => {
  test('that keeps the thread busy for ever is given up at the deadline', async () => {
    const reader = pdfReader({ ...code('while (true);'), ...atOnce });
    expect(await readFile(pdf(), HINT, reader)).toEqual({
      kind: 'unreadable',
      why: 'slow',
    });
  });

  test('that unfolds beyond the memory there is, is given up when it is seen', async () => {
    const filling = 'const held = []; for (;;) held.push(new Uint8Array(1e6));';
    const reader = pdfReader({ ...code(filling), ...never });
    expect(await readFile(pdf(), HINT, reader)).toEqual({
      kind: 'unreadable',
      why: 'large',
    });
  });

  test.each([
    ['makes the thread fail', 'throw new Error("no");'],
    ['makes the thread leave without a word', ''],
    ['needs more memory than there is', 'const a = []; for (;;) a.push(new Array(1e5).fill(a.length));'],
  ])('that %s is a damaged one', async (_, source) => {
    expect(await pdfReader({ ...code(source), ...never })(pdf())).toEqual({ kind: 'broken' });
  });

  test('the thread sees no environment', async () => {
    const source =
      'import { parentPort } from "node:worker_threads"; parentPort.postMessage({ kind: "text", text: Object.keys(process.env).join(), pages: 1, of: 1 });';
    expect(await pdfReader({ ...code(source), ...never })(pdf())).toMatchObject({ text: '' });
  });
});
