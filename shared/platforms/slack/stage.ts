import * as v from 'valibot';
import { type Card, channelId, filesOn, type MessageId, messageId } from '../../conversation/index.ts';
import { CardRefused, FileRefused, type Stage, ThreadGone } from '../platform.ts';
import { failureOf, isHopeless } from './call-failure.ts';
import { type SlackCall, SlackRefused } from './call.ts';
import { drawCard } from './card.ts';
import type { Json } from './cells.ts';
import type { SlackDeps } from './deps.ts';
import { CARD_EVENT, cardFinder, type Spot } from './find-card.ts';
import { drawForm } from './form.ts';
import { identifier } from './identity.ts';
import { NO_PREVIEWS } from './messages.ts';
import { fileIdsOn, findMessage } from './one-message.ts';
import { isOutside, posted } from './outside.ts';
import { pauseBefore, persist } from './patience.ts';
import type { Answer } from './response-url.ts';
import { showStatus } from './status.ts';
import { HOME } from './ticket.ts';
import { uploader } from './upload.ts';

const GONE = new Set(['message_not_found', 'file_not_found', 'file_deleted']);
/** What is gone already need not be deleted. */
function gone(error: unknown): void {
  if (!(error instanceof SlackRefused) || !GONE.has(error.code)) throw error;
}

/** For one card, with all that is tried. */
const WITHIN_MS = 20_000;

const begun = v.object({
  channel: v.pipe(v.string(), v.minLength(1)),
  ts: v.pipe(v.string(), v.minLength(1)),
});

const linked = v.object({ permalink: v.string() });
const permalink = async (call: SlackCall, channel: string, message: string): Promise<string> =>
  v.parse(linked, await call('chat.getPermalink', { channel, message_ts: message })).permalink;

export type StageDeps = Pick<SlackDeps, 'call' | 'time' | 'botUserId' | 'log'> & {
  readonly answer: Answer;
  /** Where files may be sent to: see `fileHosts`. */
  readonly origins: readonly string[];
};

/** Cards and answers to calls in one Slack workspace. */
export function createSlackStage(deps: StageDeps): Stage {
  const { call, time, answer } = deps;
  const find = cardFinder(call, identifier(deps));
  const patience = () => ({ time, deadline: time.now() + WITHIN_MS });

  const { keep, ...files } = uploader(deps);
  const { post, update } = cardPoster(deps, find, patience);

  return {
    async card(thread, card, key, existing) {
      const held = filesOn(card);
      const ids = held.length > 0 ? await keep(held) : [];
      const at = existing ?? (await post(thread, card, key));
      return existing || ids.length > 0 ? update(thread, at, card, key, ids) : at;
    },
    async removeCard(thread, ts, { hasFiles } = { hasFiles: true }) {
      // A file stays in the workspace when its message goes.
      const message = hasFiles ? await findMessage(deps, thread, ts) : undefined;
      for (const { id: file } of message?.attachments ?? [])
        await persist(() => call('files.delete', { file }), patience()).catch(gone);
      const { channel } = thread;
      await persist(() => call('chat.delete', { channel, ts }), patience()).catch(gone);
    },
    async respond({ ticket, channel, thread, noReplies, by }, card, openly = false) {
      if (ticket === HOME) {
        const view = { type: 'home', blocks: drawCard(card, 'home').blocks };
        await persist(() => call('views.publish', { user_id: by.user, view }), patience());
        return;
      }
      const inThread = thread && (openly || !noReplies) ? { thread_ts: thread.root } : {};
      const body = { ...drawCard(card), ...inThread };
      if (ticket !== '') return answer(ticket, { ...body, ...(openly && OPENLY) });
      // A form that was opened from App Home, or whose ticket was too long: Slack gives no address to answer by.
      if (!channel) await call('chat.postMessage', { channel: by.user, ...drawCard(card), ...NO_PREVIEWS });
      else if (openly) await call('chat.postMessage', { channel, ...body, ...NO_PREVIEWS });
      else await call('chat.postEphemeral', { channel, user: by.user, ...body });
    },
    working: (thread, words) => showStatus(deps, { thread }, words),
    link: ({ channel }, message) => persist(() => permalink(call, channel, message), patience()),
    async tell(_, user, card) {
      await persist(
        () => call('chat.postMessage', { channel: user, ...drawCard(card), ...NO_PREVIEWS }),
        patience(),
      );
    },
    async hand({ platform, workspace, by }, file, key) {
      // Under a word in the chat of the two, where the app may write without being asked.
      const { words = file.name } = file;
      const said = { channel: by.user, ...drawCard({ parts: [{ kind: 'text', markdown: words }] }) };
      const { channel, ts } = v.parse(begun, await persist(() => call('chat.postMessage', said), patience()));
      const thread = { platform, workspace, channel: channelId(channel), root: messageId(ts) };
      await files.upload(thread, { ...file, words: undefined }, key);
    },
    async open(invocation, form) {
      // One try: a trigger is used up by its first use.
      await call('views.open', { trigger_id: invocation.trigger, view: drawForm(form, invocation) });
    },
    async begin({ platform, workspace, channel, id, by }, card) {
      if (!channel) throw new CardRefused('a call without a channel');
      const root = await post({ channel }, card, id);
      const thread = { platform, workspace, channel, root };
      return { thread, message: root, asker: by.user, askerWorkspace: by.workspace };
    },
    ...files,
  };
}

/** Cards in threads: posted once for each key, changed in place. */
function cardPoster(
  deps: StageDeps,
  find: ReturnType<typeof cardFinder>,
  patience: () => Parameters<typeof persist>[1],
) {
  const { call } = deps;

  /** `files` are ids of files in the workspace, which take the place of those that stand there. */
  async function update(
    { channel }: Spot,
    existing: MessageId,
    card: Card,
    key: string,
    files: readonly string[] = [],
  ): Promise<MessageId> {
    const attached = files.length > 0 ? { file_ids: files } : {};
    const args = { channel, ts: existing, ...drawCard(card), ...marked(key), ...attached };
    const answer = await persist(() => call('chat.update', args), patience()).catch((error: unknown) => {
      const ofFiles = error instanceof SlackRefused && files.length > 0 && FILE_REFUSALS.has(error.code);
      if (ofFiles) throw new FileRefused(['files.upload.not-attached']);
      return refused(error);
    });
    if (tellsOf(answer, files)) return existing;
    // An answer that does not tell may come of a message that shows them.
    const shown = await persist(() => fileIdsOn(call, channel, existing), patience()).catch(refused);
    if (!files.every((id) => shown.includes(id))) throw new FileRefused(['files.upload.not-attached']);
    return existing;
  }

  /**
   * Posts once: it is looked for first, and again after a post of which nothing is known. One that was there before is made to
   * look like this.
   */
  async function post(spot: Spot, card: Card, key: string): Promise<MessageId> {
    const { channel, root } = spot;
    const place = root === undefined ? { channel } : { channel, thread_ts: root };
    const args = { ...place, ...drawCard(card), ...marked(key), ...NO_PREVIEWS };
    const until = patience();
    for (let attempt = 0; ; attempt += 1) {
      const found = await persist(() => find(spot, key), until).catch(refused);
      if (found && attempt > 0) return found;
      if (found) return update(spot, found, card, key);
      try {
        const made = v.parse(posted, await call('chat.postMessage', args));
        const { ts } = made;
        if (root === undefined || !(await isOutside(call, { channel, root }, made))) return messageId(ts);
        await persist(() => call('chat.delete', { channel, ts }), until).catch(() => undefined);
        throw new ThreadGone('the message that the thread hung on is gone');
      } catch (error) {
        const failure = failureOf(error);
        if (failure.kind === 'refused') return refused(error);
        await pauseBefore(attempt, failure.kind === 'busy' ? failure.waitMs : undefined, until, error);
      }
    }
  }
  return { post, update };
}

/** What `chat.update` says of files that it does not attach. See docs.slack.dev/reference/methods/chat.update. */
const FILE_REFUSALS: ReadonlySet<string> = new Set([
  'blocked_file_type',
  'file_deleted',
  'file_is_deleted',
  'file_not_found',
  'file_share_limit_reached',
  'max_file_sharing_exceeded',
  'posting_to_channel_denied',
  'slack_connect_blocked_file_type',
  'slack_connect_file_upload_sharing_blocked',
  'unable_to_share_files',
]);

const updated = v.object({ message: v.object({ files: v.array(v.object({ id: v.string() })) }) });

/** Whether the answer to an update shows all of these files on the message. */
function tellsOf(answer: unknown, files: readonly string[]): boolean {
  if (files.length === 0) return true;
  const { success, output } = v.safeParse(updated, answer);
  return success && files.every((id) => output.message.files.some((file) => file.id === id));
}

/** For all to see, by a `response_url`. */
const OPENLY = { response_type: 'in_channel', ...NO_PREVIEWS } as const;

const marked = (key: string): Json => ({
  metadata: { event_type: CARD_EVENT, event_payload: { card: key } },
});

/** Of what Slack refuses for good, tells that the bot may not write there from all else. */
function refused(error: unknown): never {
  if (error instanceof SlackRefused && isHopeless(error.code)) {
    throw new CardRefused(error.code, { cause: error });
  }
  throw error;
}
