import * as v from 'valibot';
import { channelId, filesOn, messageId } from '../../conversation/index.ts';
import { CardRefused, type Stage } from '../platform.ts';
import { createAgentApi } from './agent-api.ts';
import type { SlackCall } from './call.ts';
import { type CardPosterDeps, cardPoster } from './card-poster.ts';
import { drawCard } from './card.ts';
import type { SlackDeps } from './deps.ts';
import { drawForm } from './form.ts';
import { NO_PREVIEWS } from './messages.ts';
import { persist } from './patience.ts';
import type { Answer } from './response-url.ts';
import { showWorking } from './status.ts';
import { HOME } from './ticket.ts';
import { uploader } from './upload.ts';

/** For one card, with all that is tried. */
const WITHIN_MS = 20_000;

const begun = v.object({
  channel: v.pipe(v.string(), v.minLength(1)),
  ts: v.pipe(v.string(), v.minLength(1)),
});

const linked = v.object({ permalink: v.string() });
const permalink = async (call: SlackCall, channel: string, message: string): Promise<string> =>
  v.parse(linked, await call('chat.getPermalink', { channel, message_ts: message })).permalink;

export type StageDeps = CardPosterDeps & Pick<SlackDeps, 'agent'> & { readonly answer: Answer };

/** Cards and answers to calls in one Slack workspace. */
export function createSlackStage(deps: StageDeps): Stage {
  const { call, time, answer, agent = createAgentApi(deps) } = deps;
  const patience = () => ({ time, deadline: time.now() + WITHIN_MS });

  const { keep, ...files } = uploader(deps);
  const cards = cardPoster(deps, patience);

  return {
    async card(thread, card, key, existing, options) {
      const held = filesOn(card);
      const ids = held.length > 0 ? await keep(held) : [];
      const at = existing ?? (await cards.post(thread, card, key, options));
      return existing || ids.length > 0 ? cards.update(thread, at, card, key, ids) : at;
    },
    removeCard: (...what) => cards.remove(...what),
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
    working: (...what) => showWorking({ ...deps, agent }, ...what),
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
      const root = await cards.post({ platform, workspace, channel }, card, id);
      const thread = { platform, workspace, channel, root };
      return { thread, message: root, asker: by.user, askerWorkspace: by.workspace };
    },
    ...files,
  };
}

/** For all to see, by a `response_url`. */
const OPENLY = { response_type: 'in_channel', ...NO_PREVIEWS } as const;
