import { describe, expect, test } from '@jest/globals';
import { PDF_TIMEOUT_MS, createPdfReader } from '../../shared/documents/index.ts';
import { removeMetadata } from '../../shared/image-files/index.ts';
import { systemTime } from '../../shared/runtime/time.ts';
import { pdf } from '../documents/pdf.ts';
import { PDFS, PICTURES } from './bombs.ts';

// Time that is linear in the bytes fits into this timeout; quadratic time does not.

describe('a picture bomb is cleaned or rejected, and never grows', () => {
  test.each(Object.entries(PICTURES))('%s', (_, make) => {
    const bytes = make();
    const cleaned = removeMetadata(bytes);
    const isRejected = typeof cleaned === 'string';
    expect(['damaged', 'too-large', 'too-small', 'cleaned']).toContain(isRejected ? cleaned : 'cleaned');
    expect(isRejected ? 0 : cleaned.bytes.length).toBeLessThanOrEqual(bytes.length);
  });
});

describe('a PDF bomb ends within its limits of time and memory, and the next PDF is read', () => {
  const thread = new URL('../../shared/documents/pdf-thread.ts', import.meta.url);
  const read = createPdfReader({ entryFile: thread, ...systemTime });

  test.each(Object.entries(PDFS))('%s', async (_, make) => {
    const bomb = read(make(), { remainingMs: PDF_TIMEOUT_MS });
    const next = read(pdf(), { remainingMs: PDF_TIMEOUT_MS });
    const text = await bomb;
    expect(['text', 'broken', 'slow', 'large']).toContain(text.kind);
    expect(text.kind === 'text' ? text.text.length : 0).toBeLessThan(1_000_000);
    expect(await next).toMatchObject({ kind: 'text', text: 'Hello from a PDF' });
  });
});
