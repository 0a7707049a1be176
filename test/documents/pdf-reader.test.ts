import { describe, expect, test } from '@jest/globals';
import {
  PDF_TIMEOUT_MS,
  createPdfReader,
  type PdfReaderConfig,
  readFileContent,
  type ReadPdf,
} from '../../shared/documents/index.ts';
import { pdf } from './pdf.ts';

const THREAD = new URL('../../shared/documents/pdf-thread.ts', import.meta.url);
const HINT = { name: 'paper.pdf', mimetype: 'application/pdf' };

/** A clock that the test advances, for deadlines. */
const never = { now: () => 0, sleep: () => new Promise<void>(() => undefined) };
const atOnce = { now: () => 0, sleep: () => Promise.resolve() };
/** One per question. */
const readerOf = (config: PdfReaderConfig): ReadPdf => {
  const [read, time] = [createPdfReader(config), { remainingMs: PDF_TIMEOUT_MS }];
  return (bytes) => read(bytes, time);
};
const code = (source: string) => ({
  entryFile: new URL(`data:text/javascript,${encodeURIComponent(source)}`),
});

describe('a PDF', () => {
  const reader = readerOf({ entryFile: THREAD, ...never });
  const read = (bytes: Uint8Array) => readFileContent(bytes, HINT, reader);
  const why = async (bytes: Uint8Array) => {
    const content = await read(bytes);
    return content.kind === 'unreadable' ? content.reason : content.kind;
  };

  test('is read page by page', async () => {
    const two = pdf({ pages: ['First page', 'Second page'] });
    expect(await read(two)).toEqual({
      kind: 'text',
      text: 'First page\n\nSecond page',
      pageTexts: ['First page', 'Second page'],
    });
  });

  test.each([
    ['90ms-RKSJ-H', 'Japan1', '8b7889c982cd8f5c985a8f548ad482c582b7', '休暇は十六週間です'],
    // Its CMap refers to another one.
    ['90ms-RKSJ-V', 'Japan1', '8b7889c9', '休暇'],
    ['Identity-H', 'Japan1', '034b034c', 'あぃ'],
    ['UniGB-UCS2-H', 'GB1', '4f115047', '休假'],
    ['ETen-B5-H', 'CNS1', 'b0b2a5f0', '假休'],
    ['KSCms-UHC-H', 'Korea1', 'c8deb0a1', '휴가'],
  ] as const)(
    'whose font has the encoding %s of %s only has its text',
    async (name, ordering, codes, text) => {
      expect(await read(pdf({ cMap: { name, ordering }, pages: [codes] }))).toEqual({ kind: 'text', text });
    },
  );

  test('is read even when other bytes precede its signature', async () => {
    expect(await read(Buffer.concat([Buffer.from('\n\n'), pdf()]))).toMatchObject({ kind: 'text' });
  });

  test('with a password, damaged, or without text is explained', async () => {
    expect(await why(pdf({ locked: true }))).toBe('locked');
    expect(await why(Buffer.from('%PDF-1.7 and then nothing of it'))).toBe('broken');
    expect(await why(pdf({ pages: [''] }))).toBe('scanned');
  });

  test('is read after another that started first', async () => {
    const both = await Promise.all([read(pdf({ pages: ['one'] })), read(pdf({ pages: ['two'] }))]);
    expect(both).toEqual([
      { kind: 'text', text: 'one' },
      { kind: 'text', text: 'two' },
    ]);
  });

  test('is not readable without a thread file', async () => {
    expect((await readFileContent(pdf(), HINT)).kind).toBe('unreadable');
  });
});

describe('a malicious PDF', () => {
  test('that keeps the thread busy forever is stopped at the deadline', async () => {
    const reader = readerOf({ ...code('while (true);'), ...atOnce });
    expect(await readFileContent(pdf(), HINT, reader)).toEqual({
      kind: 'unreadable',
      reason: 'slow',
    });
  });

  test('that expands beyond the memory limit is stopped', async () => {
    const filling = 'const chunks = []; for (;;) chunks.push(new Uint8Array(1e6));';
    const reader = readerOf({ ...code(filling), ...never });
    expect(await readFileContent(pdf(), HINT, reader)).toEqual({
      kind: 'unreadable',
      reason: 'large',
    });
  });

  test.each([
    ['makes the thread fail', 'throw new Error("no");'],
    ['makes the thread leave without a word', ''],
    ['needs more memory than there is', 'const a = []; for (;;) a.push(new Array(1e5).fill(a.length));'],
  ])('that %s is reported as damaged', async (_, source) => {
    expect(await readerOf({ ...code(source), ...never })(pdf())).toEqual({ kind: 'broken' });
  });

  test('runs in a thread without environment variables', async () => {
    const source =
      'import { parentPort } from "node:worker_threads"; parentPort.postMessage({ kind: "text", text: Object.keys(process.env).join(), pages: 1, of: 1 });';
    expect(await readerOf({ ...code(source), ...never })(pdf())).toMatchObject({ text: '' });
  });
});

describe('the PDFs of one question', () => {
  test('share one time budget that passes only while one is read; the others are slow at once', async () => {
    let now = 0;
    const slept: number[] = [];
    const sleep = async (ms: number): Promise<void> => {
      slept.push(ms);
      now += ms;
    };
    const read = createPdfReader({ ...code('while (true);'), now: () => now, sleep });
    const [slow, ordinary] = [{ remainingMs: PDF_TIMEOUT_MS }, { remainingMs: PDF_TIMEOUT_MS }];
    const all = await Promise.all([
      read(pdf(), slow),
      read(pdf(), ordinary),
      read(pdf(), slow),
      read(pdf(), slow),
    ]);
    expect(all.map(({ kind }) => kind)).toEqual(['slow', 'slow', 'slow', 'slow']);
    // Only the first PDF of the first question was started: the other question waited for that one only.
    expect(slept).toEqual([PDF_TIMEOUT_MS, PDF_TIMEOUT_MS]);
  });
});
