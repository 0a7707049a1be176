import { createHash } from 'node:crypto';
import type { Attachment, MessageId } from '../domain/index.ts';
import type { TextMessage } from '../i18n/index.ts';
import type { CollectionPlace, KnowledgeDocument } from '../storage/index.ts';
import { toVisibleLine, toVisibleText } from '../utils/index.ts';
import type { AddContext } from './context.ts';
import { findFullRefusal } from './may-change.ts';
import { indexPassages, splitIntoPassages, type TextPage } from './rules/index.ts';

/** What came of adding one document. `name` is that of the source. */
export type AddOutcome =
  | {
      readonly kind: 'added';
      readonly title: string;
      readonly passages: number;
      /** The end was left out: the document has more than the limits allow. */
      readonly isComplete: boolean;
    }
  | { readonly kind: 'refused'; readonly name: string; readonly why: TextMessage };

/** A document whose text is known. */
export type ReadDocument = Pick<
  KnowledgeDocument,
  'kind' | 'title' | 'url' | 'by' | 'byWorkspace' | 'isFromBot' | 'requestedAt' | 'editedAt'
> & {
  readonly source: string;
  readonly pages: readonly TextPage[];
  /** The end of the file was not read. */
  readonly isCut: boolean;
};

const MAX_TITLE_LENGTH = 120;

/** A short name of a text, the same each time. */
export const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Returns the source of the text of a message. */
export const messageTextSource = (message: MessageId): string => `M${message}.text`;
/** Returns the source of a file of a message. */
export const messageFileSource = (message: MessageId, { id }: Pick<Attachment, 'id'>): string =>
  `M${message}.${hash(id)}`;
/** Returns the title of the text of a message: its first line. */
export const getTitle = (text: string): string => text.trim().split('\n', 1)[0] ?? '';

/** Splits a document into passages, and stores it in place of what was stored of its source. Rejects if the table is unavailable. */
export async function storeDocument(
  { source, pages, isCut, ...read }: ReadDocument,
  place: CollectionPlace,
  requestId: string,
  { collections, time }: Pick<AddContext, 'collections' | 'time'>,
): Promise<AddOutcome> {
  const title = toVisibleLine(read.title, MAX_TITLE_LENGTH);
  const { passages, isComplete } = splitIntoPassages(
    pages.map(({ text, page }) => ({ text: toVisibleText(text, MAX_TEXT_LENGTH), page })),
  );
  if (passages.length === 0)
    return { kind: 'refused', name: title, why: ['knowledge.no-text', { name: title }] };
  const full = findFullRefusal(await collections.list(place), passages.length, ({ id }) =>
    id.startsWith(`${source}.`),
  );
  if (full) return { kind: 'refused', name: title, why: full };
  const index = indexPassages(title, passages);
  const document = {
    ...read,
    readAt: time.now(),
    title,
    // Also of the text: a page may change between two deliveries of the request, whose parts must not mix.
    id: `${source}.${hash(JSON.stringify([requestId, title, passages]))}`,
    lengths: index.lengths,
  };
  await collections.save(place, document, passages, index);
  return { kind: 'added', title, passages: passages.length, isComplete: isComplete && !isCut };
}

/** The longest text that is read of a file or a page. */
const MAX_TEXT_LENGTH = 400_000;

/** Whether the client of MCP servers has cut the text of a page (`toVisibleText`). */
export const isCutText = (text: string): boolean => text.length >= MAX_TEXT_LENGTH - 1 && text.endsWith('…');
