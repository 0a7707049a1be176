/** Runs in a worker thread: extracts the text of one PDF and replies once. See `pdf.ts`. */
import { dirname, join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { getDocumentProxy } from 'unpdf';
import { readCMaps } from './cmaps.ts';
import type { PdfText } from './pdf-reader.ts';

/** Sufficient for a model, and for questions about the start of a book. */
const MAX_PAGES = 200;
const MAX_CHARACTERS = 500_000;

type Line = { readonly str: string; readonly hasEOL: boolean };

/** What pdf.js asks for files of its package. Without CMaps, most PDFs in Chinese, Japanese and Korean that do not bring their own would have no text. */
class PackageFiles {
  #maps: ReadonlyMap<string, Uint8Array> | undefined;

  /** Rejects for everything but CMaps: fonts are for drawing. */
  async fetch({ kind, filename }: { readonly kind: string; readonly filename: string }): Promise<Uint8Array> {
    // The file is beside this one, also beside its bundle.
    this.#maps ??= readCMaps(join(dirname(process.argv[1] ?? ''), 'cmaps.br'));
    const map = kind === 'cMapUrl' ? this.#maps.get(filename.replace(/\.bcmap$/u, '')) : undefined;
    if (!map) throw new Error(`there is no ${filename}`);
    return map;
  }
}

async function extractText(bytes: Uint8Array): Promise<PdfText> {
  const document = await getDocumentProxy(bytes, { verbosity: 0, BinaryDataFactory: PackageFiles });
  const pages: string[] = [];
  let length = 0;
  while (pages.length < Math.min(document.numPages, MAX_PAGES) && length < MAX_CHARACTERS) {
    const page = await document.getPage(pages.length + 1);
    const { items } = await page.getTextContent();
    const text = items
      .filter((item): item is Extract<(typeof items)[number], Line> => 'str' in item)
      .map((item) => item.str + (item.hasEOL ? '\n' : ''))
      .join('');
    pages.push(text.trim());
    length += text.length;
    page.cleanup();
  }
  return {
    kind: 'text',
    text: pages.map((page) => page.replaceAll('\f', ' ')).join('\f'),
    pages: pages.length,
    of: document.numPages,
  };
}

function toFailure(error: unknown): PdfText {
  const isLocked = error instanceof Error && error.name === 'PasswordException';
  return { kind: isLocked ? 'locked' : 'broken' };
}

async function postText(): Promise<void> {
  const bytes: unknown = workerData;
  const reply: PdfText =
    bytes instanceof Uint8Array ? await extractText(bytes).catch(toFailure) : { kind: 'broken' };
  parentPort?.postMessage(reply);
}

void postText();
