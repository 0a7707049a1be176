import * as v from 'valibot';
import { type Card, type MessageId, messageId } from '../../../domain/index.ts';
import {
  type CardOptions,
  CannotPostError,
  FileUnavailableError,
  type CardMessenger,
  ThreadDeletedError,
} from '../../ports/index.ts';
import { getErrorFacts } from '../../../utils/index.ts';
import { classifyError, isPermanent } from '../api/errors.ts';
import { SlackApiError } from '../api/call.ts';
import { getCanvasId } from '../canvases/canvas-publisher.ts';
import { renderCard } from '../blocks/card-blocks.ts';
import type { SlackDeps } from '../deps.ts';
import { createCardFinder, createCardMetadata } from './find-card.ts';
import { readUnlessRateLimited } from '../lookup/history-limit.ts';
import { createBotIdentityFinder } from '../lookup/bot-identity.ts';
import { NO_PREVIEWS, isUnthreaded, postedSchema } from './messages.ts';
import { findMessage } from '../lookup/message.ts';
import { RetryTimeoutError, type RetryOptions, retryDelay, retrySlack } from '../api/retry.ts';
import type { PostPlace } from '../files/post-records.ts';
import { areShared, logUndeleted, type UploadDeps } from '../files/upload.ts';

export type CardPosterDeps = UploadDeps & Pick<SlackDeps, 'botUserId'>;

/** A thread, or a channel if there is no root. */
type CardPlace = PostPlace & { readonly root?: MessageId | undefined };

type CardPoster = {
  /** Posts a card in the thread or channel, once for each key. Rejects with CannotPostError, ThreadDeletedError, or as `retrySlack` does. */
  post(place: CardPlace, card: Card, key: string, options?: CardOptions): Promise<MessageId>;
  /**
   * Updates the message of a card. `files` are ids of files in the workspace, which replace those of the message.
   * Rejects with CannotPostError, FileUnavailableError, or as `retrySlack` does.
   */
  update(
    place: PostPlace,
    message: MessageId,
    card: Card,
    key: string,
    files?: readonly string[],
  ): Promise<MessageId>;
  readonly remove: CardMessenger['removeCard'];
};

/** Posts cards in threads and channels once for each key, and updates them. `retryOptions`: called for each card, for the deadline of all its requests. */
export function createCardPoster(deps: CardPosterDeps, retryOptions: () => RetryOptions): CardPoster {
  return {
    post: (place, card, key, options) => new CardPost(deps, place, card, key, retryOptions()).post(options),
    update: (...what) => update(deps, retryOptions, ...what),
    remove: (...what) => remove(deps, retryOptions, ...what),
  };
}

async function update(
  deps: CardPosterDeps,
  retryOptions: () => RetryOptions,
  ...[place, message, card, key, files = []]: Parameters<CardPoster['update']>
): Promise<MessageId> {
  const { call, posts } = deps;
  const { channel } = place;
  const fileIds = files.length > 0 ? { file_ids: files } : {};
  const args = { channel, ts: message, ...renderCard(card), ...createCardMetadata(key), ...fileIds };
  const response = await retrySlack(() => call('chat.update', args), retryOptions()).catch(
    (error: unknown) => {
      const isDueToFiles =
        error instanceof SlackApiError && files.length > 0 && FILE_REFUSALS.has(error.code);
      if (isDueToFiles) throw new FileUnavailableError(['files.upload.not-attached']);
      return throwPostError(error);
    },
  );
  if (files.length === 0) return message;
  if (!responseHasFiles(response, files) && !(await areFilesShown(deps, files, { channel, message })))
    throw new FileUnavailableError(['files.upload.not-attached']);
  await posts.setFiles(place, message, files).catch(logUnrecorded(deps));
  return message;
}

/** Looks the files up: a response without them does not mean that the message lacks them. */
async function areFilesShown(
  deps: CardPosterDeps,
  files: readonly string[],
  where: { readonly channel: string; readonly message: MessageId },
): Promise<boolean> {
  return areShared(files, where, deps).catch((error: unknown) => {
    if (error instanceof RetryTimeoutError) return false;
    return throwPostError(error);
  });
}

async function remove(
  deps: CardPosterDeps,
  retryOptions: () => RetryOptions,
  ...[thread, ts, { hasFiles } = { hasFiles: true }]: Parameters<CardMessenger['removeCard']>
): Promise<void> {
  const { call, posts } = deps;
  // Deleting a message does not delete its files.
  for (const file of hasFiles ? await findFiles(deps, thread, ts) : [])
    await retrySlack(() => deleteFile(call, file), retryOptions()).catch(keepUndeletable(deps));
  const { channel } = thread;
  await retrySlack(() => call('chat.delete', { channel, ts }), retryOptions()).catch(ignoreDeleted);
  if (hasFiles) await posts.remove(thread, ts).catch(logUnrecorded(deps));
}

const deleteFile = (call: CardPosterDeps['call'], file: string) => {
  const canvas = getCanvasId(file);
  return canvas === undefined
    ? call('files.delete', { file })
    : call('canvases.delete', { canvas_id: canvas });
};

/** The files of a message as recorded when they were attached. Without a record, they are read from Slack, if its rate limit allows it. */
async function findFiles(
  deps: CardPosterDeps,
  thread: PostPlace,
  message: MessageId,
): Promise<readonly string[]> {
  const recorded = await deps.posts.findFiles(thread, message);
  if (recorded) return recorded;
  const existing = await readUnlessRateLimited(() => findMessage(deps, thread, message));
  return existing?.attachments.map(({ id }) => id) ?? [];
}

/** The post of one card. */
class CardPost {
  readonly #deps: CardPosterDeps;
  readonly #place: CardPlace;
  readonly #card: Card;
  readonly #key: string;
  readonly #until: RetryOptions;

  constructor(deps: CardPosterDeps, place: CardPlace, card: Card, key: string, until: RetryOptions) {
    this.#deps = deps;
    this.#place = place;
    this.#card = card;
    this.#key = key;
    this.#until = until;
  }

  /**
   * Posts the card once: a message with the same key is updated, unless the card `keepsExisting`. If the outcome of an earlier post is unknown, its message is searched
   * in Slack's history, if the rate limit allows it; a duplicate is better than no card. A card that is certainly new is not recorded.
   */
  async post({ isNew = false, keepsExisting = false }: CardOptions = {}): Promise<MessageId> {
    const { posts } = this.#deps;
    const before = isNew ? undefined : await posts.begin(this.#place, this.#key);
    if (before?.message && keepsExisting) return before.message;
    if (before?.message) {
      const updated = await this.#update(before.message).catch(ignoreDeleted);
      if (updated) return updated;
    }
    const message = await this.#postOrFind(
      before !== undefined && before.message === undefined,
      keepsExisting,
    );
    // If this fails, a redelivered task searches Slack's history.
    if (!isNew) await posts.savePosted(this.#place, this.#key, message).catch(logUnrecorded(this.#deps));
    return message;
  }

  async #postOrFind(mayExist: boolean, keepsExisting: boolean): Promise<MessageId> {
    const until = this.#until;
    let mustSearch = mayExist;
    for (let attempt = 0; ; attempt += 1) {
      const existing = mustSearch ? await this.#find() : undefined;
      if (existing) return attempt > 0 || keepsExisting ? existing : this.#update(existing);
      try {
        return await this.#postOnce();
      } catch (error) {
        const failure = classifyError(error);
        if (failure.kind === 'refused') return throwPostError(error);
        mustSearch ||= failure.kind === 'unknown';
        await retryDelay(attempt, failure.kind === 'busy' ? failure.waitMs : undefined, until, error);
      }
    }
  }

  async #postOnce(): Promise<MessageId> {
    const { call } = this.#deps;
    const { channel, root } = this.#place;
    const where = root === undefined ? { channel } : { channel, thread_ts: root };
    const args = { ...where, ...renderCard(this.#card), ...createCardMetadata(this.#key), ...NO_PREVIEWS };
    const response = v.parse(postedSchema, await call('chat.postMessage', args));
    const { ts } = response;
    if (root === undefined || !(await isUnthreaded(call, { channel, root }, response))) return messageId(ts);
    await retrySlack(() => call('chat.delete', { channel, ts }), this.#until).catch(() => undefined);
    throw new ThreadDeletedError('the root message of the thread is deleted');
  }

  async #find(): Promise<MessageId | undefined> {
    const find = createCardFinder(this.#deps.call, createBotIdentityFinder(this.#deps));
    return readUnlessRateLimited(() =>
      retrySlack(() => find(this.#place, this.#key), this.#until).catch(throwPostError),
    );
  }

  #update(message: MessageId): Promise<MessageId> {
    return update(this.#deps, () => this.#until, this.#place, message, this.#card, this.#key);
  }
}

const logUnrecorded =
  ({ log }: CardPosterDeps) =>
  (error: unknown): void =>
    log?.('slack.post-record-failed', getErrorFacts(error));

const DELETED_CODES = new Set(['message_not_found', 'file_not_found', 'file_deleted', 'canvas_not_found']);
/** Resolves if the message or file is already deleted. */
function ignoreDeleted(error: unknown): undefined {
  if (!(error instanceof SlackApiError) || !DELETED_CODES.has(error.code)) throw error;
}

/**
 * Slack's refusals to delete a file or canvas that a retry does not resolve. Source: docs.slack.dev/reference/methods/files.delete,
 * canvases.delete.
 */
const UNDELETABLE = new Set([
  'canvas_deleting_disabled',
  'cant_delete_file',
  'delete_not_allowed',
  'file_deleting_disabled',
  'restricted_action',
]);

/** Resolves if the file is already deleted, or has to stay: its message is deleted nevertheless. */
const keepUndeletable =
  (deps: CardPosterDeps) =>
  (error: unknown): void => {
    if (error instanceof SlackApiError && UNDELETABLE.has(error.code)) logUndeleted(deps)(error);
    else ignoreDeleted(error);
  };

/** The errors of `chat.update` for files that it does not attach. See docs.slack.dev/reference/methods/chat.update. */
const FILE_REFUSALS: ReadonlySet<string> = new Set([
  'blocked_file_type',
  'file_deleted',
  'file_is_deleted',
  'file_not_found',
  'file_share_limit_reached',
  'max_file_sharing_exceeded',
  'posting_to_channel_denied',
  'slack_connect_blocked_file_type',
  'slack_connect_clip_sharing_blocked',
  'slack_connect_file_upload_sharing_blocked',
  'unable_to_share_files',
]);

const updateResponse = v.object({ message: v.object({ files: v.array(v.object({ id: v.string() })) }) });

/** Whether the response to an update contains all of these files. */
function responseHasFiles(response: unknown, files: readonly string[]): boolean {
  const { success, output } = v.safeParse(updateResponse, response);
  return success && files.every((id) => output.message.files.some((file) => file.id === id));
}

/** Throws CannotPostError if Slack refuses posts in the channel permanently, else the error itself. */
function throwPostError(error: unknown): never {
  if (error instanceof SlackApiError && isPermanent(error.code)) {
    throw new CannotPostError(error.code, { cause: error });
  }
  throw error;
}
