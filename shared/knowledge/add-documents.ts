import { createHash } from 'node:crypto';
import {
  type Attachment,
  type Interaction,
  type TargetMessage,
  type TurnRef,
  type UserId,
  type WorkspaceId,
} from '../domain/index.ts';
import { PDF_TIMEOUT_MS, readFileContent } from '../documents/index.ts';
import type { TextMessage } from '../i18n/index.ts';
import { FileUnavailableError } from '../platforms/ports/index.ts';
import type { CollectionPlace, KnowledgeDocument } from '../storage/index.ts';
import { errorName, visibleText } from '../utils/index.ts';
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

const MB = 1024 * 1024;
const MAX_FILE_BYTES = 10 * MB;
const MAX_TITLE_LENGTH = 120;
const PAGE_TIMEOUT_MS = 15_000;

/** Who adds a document, and by which request: a repeated delivery of it stores the same document. */
type Requester = Pick<Interaction, 'id' | 'by'>;

/** A document whose text is known. */
type ReadDocument = Pick<KnowledgeDocument, 'kind' | 'title' | 'url' | 'by' | 'byWorkspace'> & {
  readonly source: string;
  readonly pages: readonly TextPage[];
  /** The end of the file was not read. */
  readonly isCut: boolean;
};

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Adds the page at an address, or reads it again. Rejects if the table is unavailable. */
export async function addPage(
  url: string,
  place: CollectionPlace,
  { id, by }: Requester,
  context: AddContext,
): Promise<AddOutcome> {
  const response = await context.toolServers.request(
    { kind: 'page', url, timeoutMs: PAGE_TIMEOUT_MS },
    AbortSignal.timeout(PAGE_TIMEOUT_MS + 5_000),
  );
  const server = new URL(url).host;
  if (response.kind === 'failed')
    return { kind: 'refused', name: url, why: [`tools.failed.${response.reason}`, { server }] };
  if (response.kind !== 'page')
    return { kind: 'refused', name: url, why: ['tools.failed.invalid', { server }] };
  return store(
    {
      source: `U${hash(response.url)}`,
      kind: 'page',
      title: response.title || server,
      url: response.url,
      by: by.user,
      byWorkspace: by.workspace,
      pages: [{ text: response.text }],
      isCut: false,
    },
    place,
    id,
    context,
  );
}

/**
 * Adds the files of a message, or its text if it has none. They belong to the author of the message, whose erasure removes them. Rejects if the table or
 * the platform is unavailable.
 */
export async function addMessage(
  message: TargetMessage,
  { id, by }: Requester,
  context: AddContext,
): Promise<readonly AddOutcome[]> {
  const { thread, author, attachments, text } = message;
  const turn = { thread, message: message.id, asker: by.user, askerWorkspace: by.workspace };
  const url = await context.messenger.getPermalink(thread, message.id);
  if (url === undefined) return [{ kind: 'refused', name: '', why: ['knowledge.gone'] }];
  const origin: MessageOrigin = { url, by: author, byWorkspace: by.workspace, source: `M${message.id}` };
  const outcomes: AddOutcome[] = [];
  if (attachments.length === 0)
    outcomes.push(
      await store(
        {
          ...origin,
          source: `${origin.source}.text`,
          kind: 'message',
          title: titleOf(text),
          pages: [{ text }],
          isCut: false,
        },
        thread,
        id,
        context,
      ),
    );
  // One after the other: each may have some megabytes in memory.
  for (const file of attachments) outcomes.push(await addFile(file, turn, origin, id, context));
  // Deleted meanwhile: its event found nothing to remove.
  if (await context.platform.isDeleted(turn)) {
    await context.collections.removeMessage(thread, message.id);
    return [{ kind: 'refused', name: '', why: ['knowledge.gone'] }];
  }
  return outcomes;
}

type MessageOrigin = {
  readonly url: string;
  readonly by: UserId;
  readonly byWorkspace: WorkspaceId;
  readonly source: string;
};

const titleOf = (text: string): string => text.trim().split('\n', 1)[0] ?? '';

async function addFile(
  file: Attachment,
  turn: TurnRef,
  origin: MessageOrigin,
  requestId: string,
  context: AddContext,
): Promise<AddOutcome> {
  const refuse = (why: TextMessage): AddOutcome => ({ kind: 'refused', name: file.name, why });
  if (file.bytes > MAX_FILE_BYTES)
    return refuse(['files.unreadable.too-large', { name: file.name, mb: MAX_FILE_BYTES / MB }]);
  let content;
  try {
    const bytes = await context.platform.downloadFile(turn, file, MAX_FILE_BYTES);
    const time = { remainingMs: PDF_TIMEOUT_MS };
    content = await readFileContent(bytes, file, (pdf) => context.pdf(pdf, time));
  } catch (error) {
    if (error instanceof FileUnavailableError) return refuse(error.why);
    context.log('file.fetch-failed', { error: errorName(error) });
    return refuse(['files.refused.unreached', { name: file.name, mb: MAX_FILE_BYTES / MB }]);
  }
  if (content.kind === 'unreadable')
    return refuse([
      `files.unreadable.${content.reason}`,
      { name: file.name, ...(content.format !== undefined && { kind: content.format }) },
    ]);
  if (content.kind !== 'text') return refuse(['knowledge.no-text', { name: file.name }]);
  const { text, pageTexts, omitted = 0, pages } = content;
  return store(
    {
      ...origin,
      source: `${origin.source}.${hash(file.id)}`,
      kind: 'file',
      title: file.name,
      pages: pageTexts ? pageTexts.map((one, index) => ({ text: one, page: index + 1 })) : [{ text }],
      isCut: omitted > 0 || pages !== undefined,
    },
    turn.thread,
    requestId,
    context,
  );
}

async function store(
  { source, pages, isCut, ...read }: ReadDocument,
  place: CollectionPlace,
  requestId: string,
  { collections, time }: AddContext,
): Promise<AddOutcome> {
  const title = visibleText(read.title, MAX_TITLE_LENGTH).replaceAll(/\s+/gu, ' ').trim();
  const { passages, isComplete } = splitIntoPassages(
    pages.map(({ text, page }) => ({ text: visibleText(text, MAX_TEXT_LENGTH), page })),
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
    title,
    id: `${source}.${hash(requestId)}`,
    addedAt: time.now(),
    lengths: index.lengths,
  };
  await collections.save(place, document, passages, index);
  return { kind: 'added', title, passages: passages.length, isComplete: isComplete && !isCut };
}

/** The longest text that is read of a file or a page. */
const MAX_TEXT_LENGTH = 400_000;
