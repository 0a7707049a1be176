import { describe, expect, test } from '@jest/globals';
import { ThreadDeletedError } from '../../../shared/platforms/ports/index.ts';
import {
  type SlackCall,
  SlackRateLimitError,
  SlackApiError,
} from '../../../shared/platforms/slack/api/call.ts';
import { createSlackPlatform } from '../../../shared/platforms/slack/index.ts';
import { inBytes } from '../../../shared/platforms/markdown/index.ts';
import { isGone } from '../../../shared/platforms/slack/api/errors.ts';
import { createDirectClient } from '../../simulators/slack/direct-client.ts';
import { createWorkspace } from '../../simulators/slack/index.ts';
import { DOCUMENTED_ERRORS } from '../../simulators/slack/documented-errors.ts';
import { visibleContent } from './fake-content.ts';
import { bothKinds, fakeTime } from './fake-slack.ts';
import { turnAt } from './simulated-turn.ts';

/** The fate of the requests of one method: the nth fails, or all from the nth on. */
type Trouble = {
  readonly method: string;
  readonly fails: string;
  readonly nth: number;
  readonly always: boolean;
};

/** Other faults: an effect without a response; a lost request; a throttled one. */
const OTHERS = ['lost', 'cut', 'busy'];
/** The kind of answer that uses this method: without streams, or with an unconfirmed post. */
const WITHOUT_STREAMS = new Set(['chat.postMessage', 'chat.update', 'chat.delete', 'conversations.replies']);
const TEXT = Array.from(
  { length: 60 },
  (_, n) => `Word ${n} of https://acme.slack.com/files/U1/F${n}.${n % 5 === 4 ? '\n\n' : ' '}`,
);
const bare = (text: string): string => text.replaceAll('slack[.]com', 'slack.com').replace(/\s+/g, '');

async function play({ method, fails, nth, always }: Trouble) {
  const time = fakeTime();
  const workspace = createWorkspace({ clock: time.now });
  const direct = createDirectClient(workspace);
  const counts = new Map<string, number>();
  let over = false;
  let calls = 0;
  const call: SlackCall = async (name, args) => {
    calls += 1;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    if (!over && name === method && (always ? count >= nth : count === nth)) {
      if (fails === 'lost') await direct(name, args);
      if (fails === 'busy') throw new SlackRateLimitError(name, 2_000);
      if (fails === 'lost' || fails === 'cut') throw new Error('reset');
      throw new SlackApiError(name, fails);
    }
    if (name === 'chat.startStream' && WITHOUT_STREAMS.has(method))
      throw new SlackApiError(name, 'user_not_found');
    const answer = await direct(name, args);
    // An unconfirmed post causes a search; one that can no longer be edited is deleted.
    if (!over && name === 'chat.postMessage' && count === 1 && method === 'conversations.replies')
      throw new Error('reset');
    if (!over && name === 'chat.update' && count === 1 && method === 'chat.delete') {
      throw new SlackApiError(name, 'edit_window_closed');
    }
    return answer;
  };
  const { identity, channel, state } = workspace;
  const turn = turnAt({ channel, ...identity }, workspace.say(identity.users[0]?.id ?? '', '@parley go'));
  const platform = createSlackPlatform({ call, time, botUserId: identity.botUserId, limit: inBytes(1_000) });
  const reply = platform.reply(turn, []);
  for (const words of TEXT) {
    reply.write(words);
    await time.advance(300);
  }
  const text = TEXT.join('');
  const under = { buttons: [{ label: 'Again', action: { kind: 'regenerate' } }], steps: [] } as const;
  const botText = (): string =>
    [...(state.messages.get(channel)?.values() ?? [])]
      .filter(({ user }) => user === identity.botUserId)
      .map(({ markdown, text: words, blocks = [] }) => (markdown ? words : visibleContent({ blocks }).text))
      .join('');
  const before = calls;
  const error = await time.until(reply.publish(text, under)).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const after = calls - before;
  const { hasUnconfirmedPosts: doubtful } = reply;
  over = true;
  const again = async (): Promise<void> => {
    const left = bothKinds(await time.until(platform.findOrphanedMessages(turn)));
    await time.until(platform.reply(turn, left).publish(text, under));
  };
  const whole = (): boolean => bare(botText()) === bare(text);
  return { error, botText, whole, doubtful, again, after, hit: counts.get(method) ?? 0 };
}

const troubles = Object.entries(DOCUMENTED_ERRORS)
  // An answer uploads nothing.
  .filter(([method]) => method !== 'files.completeUploadExternal')
  .flatMap(([method, errors]) => [...errors, ...OTHERS].map((fails) => ({ method, fails })));
/** Only rarely does an answer send a second request of these methods. */
const ONCE = new Set(['chat.delete', 'conversations.replies']);
/** A message that cannot be deleted stays beside the answer. */
const stays = ({ method, fails }: Pick<Trouble, 'method' | 'fails'>): boolean =>
  method === 'chat.delete' && !OTHERS.includes(fails);

describe('with any documented error of Slack', () => {
  test.each([1, 2])(
    'at request %d of a method the answer is complete and posted once, or its place is gone',
    async (nth) => {
      const wrong: string[] = [];
      for (const one of troubles) {
        const { error, whole, doubtful, again, hit } = await play({ ...one, nth, always: false });
        const isThreadGone = hit >= nth && isGone(one.fails) && error instanceof ThreadDeletedError;
        if (doubtful) await again();
        const good = isThreadGone || (error === undefined && (whole() || stays(one)));
        if (!good || hit < (ONCE.has(one.method) ? 1 : nth)) wrong.push(`${one.method} ${one.fails}`);
      }
      expect(wrong).toEqual([]);
    },
  );

  test.each([1, 2])(
    'from request %d on the answer ends soon, and is complete once Slack works again',
    async (nth) => {
      const wrong: string[] = [];
      for (const one of troubles) {
        const { error, whole, doubtful, again, after } = await play({ ...one, nth, always: true });
        const isThreadGone = error instanceof ThreadDeletedError;
        if (!isThreadGone && (doubtful || error !== undefined)) await again();
        if (after > 70 || !(isThreadGone || whole() || stays(one))) wrong.push(`${one.method} ${one.fails}`);
      }
      expect(wrong).toEqual([]);
    },
  );

  // An answer cannot be shown only where no message may be posted or edited.
  test.each(['chat.startStream', 'chat.appendStream', 'chat.stopStream'])(
    '%s may be refused permanently',
    async (method) => {
      const deliveredTexts: string[] = [];
      for (const fails of DOCUMENTED_ERRORS[method] ?? []) {
        const { error, whole } = await play({ method, fails, nth: 1, always: true });
        if (!(error instanceof ThreadDeletedError) && !whole()) deliveredTexts.push(fails);
      }
      // These are throttled, or temporary.
      const soon = new Set(['message_limit_exceeded', 'rate_limited', 'messaging_processing_failed']);
      expect(deliveredTexts.filter((code) => !soon.has(code))).toEqual([]);
    },
  );

  test.each(DOCUMENTED_ERRORS['chat.startStream']?.filter((code) => code.startsWith('slack_connect')) ?? [])(
    '%s: links that may not be shared become text, and nothing else changes',
    async (fails) => {
      for (const method of ['chat.postMessage', 'chat.update']) {
        const { error, botText, whole } = await play({ method, fails, nth: 1, always: false });
        expect([error, whole(), botText().includes('slack.com/')]).toEqual([undefined, true, false]);
      }
    },
  );
});
