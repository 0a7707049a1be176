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
import type { CollectionPlace } from '../storage/index.ts';
import { getErrorFacts } from '../utils/index.ts';
import type { AddContext } from './context.ts';
import {
  type AddOutcome,
  hash,
  isCutText,
  messageFileSource,
  messageTextSource,
  type ReadDocument,
  storeDocument,
  getTitle,
} from './store-document.ts';

const MB = 1024 * 1024;
const MAX_FILE_BYTES = 10 * MB;
const PAGE_TIMEOUT_MS = 15_000;

/** Who adds a document, and by which request: a repeated delivery of it stores the same document. */
type Requester = Pick<Interaction, 'id' | 'by' | 'receivedAt'>;

/** The time of the request: what is read of a document while its owner is erased counts as added before, and the second pass removes it. */
const getRequestedAt = ({ receivedAt }: Requester, { time }: Pick<AddContext, 'time'>): number =>
  receivedAt ?? time.now();

/** Adds the page or PDF at an address, or reads it again. Rejects if the table is unavailable. */
export async function addPage(
  url: string,
  place: CollectionPlace,
  requester: Requester,
  context: AddContext,
): Promise<AddOutcome> {
  const { id, by } = requester;
  const requestedAt = getRequestedAt(requester, context);
  const response = await context.toolServers.request(
    { kind: 'page', url, timeoutMs: PAGE_TIMEOUT_MS },
    AbortSignal.timeout(PAGE_TIMEOUT_MS + 5_000),
  );
  const server = new URL(url).host;
  if (response.kind === 'failed')
    return { kind: 'refused', name: url, why: [`knowledge.page.${response.reason}`, { server }] };
  const owner = { by: by.user, byWorkspace: by.workspace, requestedAt };
  if (response.kind === 'pdf') {
    const { url: address, content } = response;
    const name = getFileName(address) || server;
    const read = await readText(Buffer.from(content, 'base64'), { name, mimetype: PDF }, context);
    if (read.kind === 'refused') return read;
    const document = { ...owner, ...read, source: `U${hash(address)}`, url: address, title: name };
    return storeDocument({ ...document, kind: 'page' }, place, id, context);
  }
  if (response.kind !== 'page')
    return { kind: 'refused', name: url, why: ['knowledge.page.invalid', { server }] };
  return storeDocument(
    {
      ...owner,
      source: `U${hash(response.url)}`,
      kind: 'page',
      title: response.title || server,
      url: response.url,
      pages: [{ text: response.text }],
      isCut: isCutText(response.text),
    },
    place,
    id,
    context,
  );
}

const PDF = 'application/pdf';

/** The file name in an address; empty if it has none. */
function getFileName(address: string): string {
  const last = new URL(address).pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/**
 * Adds the files of a message, or its text if it has none. They belong to the author of the message, whose erasure removes them; an answer belongs to
 * whoever asked, and another message of a bot to whoever adds it. Rejects if the table or the platform is unavailable.
 */
export async function addMessage(
  message: TargetMessage,
  requester: Requester,
  context: AddContext,
): Promise<readonly AddOutcome[]> {
  const { id, by } = requester;
  const requestedAt = getRequestedAt(requester, context);
  const { thread, attachments, text } = message;
  const turn = { thread, message: message.id, asker: by.user, askerWorkspace: by.workspace };
  const url = await context.messenger.getPermalink(thread, message.id);
  if (url === undefined) return [{ kind: 'refused', name: '', why: ['knowledge.gone'] }];
  const origin: MessageOrigin = { url, requestedAt, ...(await findOwner(message, by, context)) };
  const outcomes: AddOutcome[] = [];
  if (attachments.length === 0)
    outcomes.push(
      await storeDocument(
        {
          ...origin,
          source: messageTextSource(message.id),
          kind: 'message',
          title: getTitle(text),
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

type Owner = { readonly by: UserId; readonly byWorkspace: WorkspaceId; readonly isFromBot?: boolean };

type MessageOrigin = Owner & Pick<ReadDocument, 'url' | 'requestedAt'>;

/** A bot removes nothing and never asks to be forgotten. An answer may repeat what the asker wrote, so it belongs to them. */
async function findOwner(
  { thread, id, author, authorWorkspace, isBot: isFromBot = false }: TargetMessage,
  { user, workspace }: Requester['by'],
  { turns }: Pick<AddContext, 'turns'>,
): Promise<Owner> {
  if (!isFromBot) return { by: author, byWorkspace: authorWorkspace ?? workspace };
  const answered = await turns.findByMessage(thread, id);
  return answered
    ? { by: answered.turn.asker, byWorkspace: answered.turn.askerWorkspace, isFromBot }
    : { by: user, byWorkspace: workspace, isFromBot };
}

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
  let bytes;
  try {
    bytes = await context.platform.downloadFile(turn, file, MAX_FILE_BYTES);
  } catch (error) {
    if (error instanceof FileUnavailableError) return refuse(error.why);
    context.log('file.fetch-failed', getErrorFacts(error));
    return refuse(['files.refused.unreached', { name: file.name, mb: MAX_FILE_BYTES / MB }]);
  }
  const read = await readText(bytes, file, context);
  if (read.kind === 'refused') return read;
  const document = { ...origin, ...read, source: messageFileSource(turn.message, file), title: file.name };
  return storeDocument({ ...document, kind: 'file' }, turn.thread, requestId, context);
}

type FileText = Pick<ReadDocument, 'pages' | 'isCut'> & { readonly kind: 'read' };

/** Returns the text of a file by its pages; why it has none. */
async function readText(
  bytes: Uint8Array,
  file: Pick<Attachment, 'name' | 'mimetype'>,
  context: Pick<AddContext, 'pdf' | 'log'>,
): Promise<FileText | Extract<AddOutcome, { kind: 'refused' }>> {
  const { name } = file;
  const refuse = (why: TextMessage) => ({ kind: 'refused', name, why }) as const;
  const time = { remainingMs: PDF_TIMEOUT_MS };
  const content = await readFileContent(bytes, file, (pdf) => context.pdf(pdf, time));
  if (content.kind === 'unreadable') {
    const { reason, format } = content;
    return refuse([`files.unreadable.${reason}`, { name, ...(format !== undefined && { kind: format }) }]);
  }
  if (content.kind !== 'text') return refuse(['knowledge.no-text', { name }]);
  const { text, pageTexts, omitted = 0, pages } = content;
  return {
    kind: 'read',
    pages: pageTexts ? pageTexts.map((one, index) => ({ text: one, page: index + 1 })) : [{ text }],
    isCut: omitted > 0 || pages !== undefined,
  };
}
