import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ADA, GENERAL, GRACE } from '../simulators/discord/index.ts';
import { DEFAULT_IDENTITY, type Message } from '../simulators/slack/index.ts';
import { type DiscordHarness, startDiscordHarness } from './discord-harness.ts';
import {
  answersIn,
  IS_OUTSIDE_MARKETPLACE,
  type JourneyHarness,
  contentOf,
  ephemeralMessagesTo,
} from './harness.ts';

/** A channel without the bot. */
const ELSEWHERE = { id: 'C0ELSE0000', name: 'elsewhere' } as const;
let harness: DiscordHarness;
let journey: JourneyHarness;

beforeAll(async () => {
  const members = DEFAULT_IDENTITY.users.map(({ id }) => id);
  const channels = [{ ...ELSEWHERE, kind: 'channel' as const, members }];
  harness = await startDiscordHarness({ slack: { channels } });
  journey = harness.journey();
});
afterAll(() => harness.close());

/** The card of a schedule, with its buttons. */
const isScheduleCard = (one: Message): boolean => /what is 6 \* 7.*Run now/u.test(contentOf(one));

/** The ephemeral message for a person in Slack, once it contains this text. */
const onceTold = (name: string, words: RegExp, channel = journey.slack.channel): Promise<string> =>
  journey.slack.core.until(() =>
    ephemeralMessagesTo(journey.slack, name, channel)
      .map(contentOf)
      .findLast((one) => words.test(one)),
  );

/** The prompts of all summary requests since this one. */
const promptsSince = (nth: number): string[] =>
  journey.upstream.journal
    .slice(nth)
    .filter(({ path }) => path.endsWith('/chat/completions'))
    .map(({ body }) => JSON.stringify(body));

const PADDING = 'We looked at the plan again, at what it costs and at who has the time for it. ';

describe('in Slack', () => {
  test('a thread that needs several requests is summarized completely, with links, and can be shared', async () => {
    const { slack, upstream } = journey;
    const thread = await slack.say('ada', 'Where do we hold the summer party?');
    for (let n = 0; n < 18; n += 1)
      await slack.say(n % 2 === 0 ? 'grace' : 'ada', `Place ${n}: ${PADDING.repeat(36)}`, { thread });
    const last = await slack.say('grace', 'We decided: it is the lighthouse.', { thread });
    const before = upstream.journal.length;
    // Requested on the first message: later messages are included.
    slack.core.allowHistoryReads();
    expect(await slack.shortcut('ada', 'summarise', thread)).toEqual({ acknowledged: true });
    const basis = `Based on ${IS_OUTSIDE_MARKETPLACE ? 15 : 20} messages of 2 people`;
    const notice = await onceTold('ada', new RegExp(basis, 'u'));
    const prompts = promptsSince(before);
    expect(prompts.length).toBeGreaterThan(2);
    for (let n = 0; n < (IS_OUTSIDE_MARKETPLACE ? 14 : 18); n += 1)
      expect(prompts.filter((one) => one.includes(`Place ${n}:`)).length).toBeGreaterThan(0);
    const isWhole = !IS_OUTSIDE_MARKETPLACE;
    for (const words of ['lighthouse', `/p${last.replace('.', '')}`])
      expect(notice.includes(words)).toBe(isWhole);
    expect(notice.includes('15 were read, the rest is left out')).toBe(!isWhole);
    expect(/left out/iu.test(notice)).toBe(!isWhole);
    expect(notice).toContain(`It took ${prompts.length} requests to the model.`);
    expect(ephemeralMessagesTo(journey.slack, 'grace', slack.channel)).toEqual([]);
    const card = ephemeralMessagesTo(journey.slack, 'ada', slack.channel).findLast((one) =>
      contentOf(one).includes(basis),
    );
    await slack.press('ada', card?.ts ?? '', 'Show to everyone');
    await slack.core.until(() =>
      [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].find(
        (one) => one.thread === thread && !one.ephemeralTo && contentOf(one).includes(basis),
      ),
    );
  });

  test('a channel is summarized only for the requester, with threads, links, and days in their time zone', async () => {
    const { slack } = journey;
    // Before the thread, because an app outside of the Marketplace may read one thread, the last.
    await answersIn(slack, await slack.say('ada', '@parley What is 1 + 1?'));
    const root = await slack.say('grace', 'Who waters the plants?');
    const reply = await slack.say('ada', 'We agreed: the neighbours do.', { thread: root });
    slack.core.allowHistoryReads();
    expect(await slack.command('ada', '/parley summarise since yesterday')).toEqual({ acknowledged: true });
    const notice = await onceTold('ada', /neighbours/u);
    expect(notice).toContain(`/p${reply.replace('.', '')}?thread_ts=${root}`);
    expect(notice).toMatch(/Based on \d+ messages of 2 people/u);
    // Everybody can follow its links.
    expect(notice.slice(notice.indexOf('"blocks"'))).not.toMatch(
      /"type":"(?:markdown|mrkdwn)","text":"[^"]*\(parley\.slack\.com\)/u,
    );
    expect(notice).not.toContain('Show to everyone');
    expect(ephemeralMessagesTo(journey.slack, 'grace', slack.channel)).toEqual([]);
  });

  test('“since my last message” includes only later messages', async () => {
    const { slack, upstream } = journey;
    await slack.say('ada', 'I am off for lunch.');
    await slack.say('grace', 'The printer is on fire.');
    const before = upstream.journal.length;
    slack.core.allowHistoryReads();
    await slack.command('ada', '/parley summarise last-message');
    await onceTold('ada', /Based on 1 message of 1 person/u);
    expect(promptsSince(before).join('')).toContain('The printer is on fire.');
    expect(promptsSince(before).join('')).not.toContain('off for lunch');
    slack.core.allowHistoryReads();
    await slack.command('grace', '/parley catchup');
    await onceTold('grace', /Nothing was said here since/u);
  });

  test('“since I last read” is explained: platforms do not provide it, and the last own message is closest', async () => {
    const { slack, upstream } = journey;
    const before = upstream.journal.length;
    await slack.command('ada', '/parley summarise since I last read');
    const notice = await onceTold('ada', /period/u);
    expect(notice).toMatch(/`last-message` \(since my last message here\)/u);
    expect(promptsSince(before)).toEqual([]);
  });

  test('a schedule is off until an administrator turns it on, asks in the channel, and can be paused', async () => {
    const { slack } = journey;
    // A private channel: the bot looks whether the author still is in it.
    const lab = [...slack.core.state.channels.values()].find(({ name }) => name === 'lab')?.id ?? '';
    const schedule = '/parley schedule every weekday at 9, what is 6 * 7?';
    await slack.command('ada', schedule, lab);
    await onceTold('ada', /Nobody may schedule anything here yet/u, lab);
    await slack.command('ada', '/parley settings schedules all for:workspace', lab);
    await onceTold('ada', /Who may schedule[^}]*Everybody .the workspace/u, lab);
    await slack.command('ada', schedule, lab);
    const card = await slack.core.until(() =>
      ephemeralMessagesTo(journey.slack, 'ada', lab).findLast(isScheduleCard),
    );
    await slack.press('ada', card.ts, 'Run now', lab);
    const run = await slack.core.until(() =>
      [...(slack.core.state.messages.get(lab)?.values() ?? [])].find(
        (one) => !one.ephemeralTo && contentOf(one).includes('what is 6 * 7'),
      ),
    );
    const [answer] = await answersIn(slack, run.ts, 1, lab);
    expect(answer?.text).toContain('42');
    await onceTold('ada', /It runs now/u, lab);
    await slack.command('ada', '/parley schedule', lab);
    const list = await slack.core.until(() =>
      ephemeralMessagesTo(journey.slack, 'ada', lab).findLast(isScheduleCard),
    );
    await slack.press('ada', list.ts, 'Pause', lab);
    await onceTold('ada', /The schedule is paused/u, lab);
  });

  test('a channel without the bot gets an explanation of how to add the bot', async () => {
    const { slack, upstream } = journey;
    await slack.say('ada', 'A secret.', { channel: ELSEWHERE.id });
    const before = upstream.journal.length;
    slack.core.allowHistoryReads();
    await slack.command('ada', '/parley summarise week', ELSEWHERE.id);
    const notice = await onceTold('ada', /I am not in this channel/u, ELSEWHERE.id);
    expect(notice).toContain('/invite');
    expect(promptsSince(before)).toEqual([]);
  });
});

/** The URL of a Discord message. */
const link = (id: string) => new RegExp(`https://discord\\.com/channels/\\d+/\\d+/${id}`, 'u');

describe('in Discord', () => {
  test('a thread that needs several requests is summarized completely, with links', async () => {
    const discord = harness.discord();
    const { upstream } = journey;
    const root = discord.say('ada', undefined, 'Where do we hold the summer party?');
    const thread = discord.core.thread('ada', root, 'Party');
    const first = discord.core.say('grace', 'Somewhere by the sea.', { channel: thread });
    for (let n = 0; n < 30; n += 1)
      discord.core.say(n % 2 === 0 ? 'grace' : 'ada', `Place ${n}: ${PADDING.repeat(24)}`, {
        channel: thread,
      });
    const last = discord.core.say('grace', 'We decided: it is the lighthouse.', { channel: thread });
    const before = upstream.journal.length;
    await discord.menu('ada', first, 'Summarise thread');
    const { one } = await harness.once(ADA, /Based on 33 messages of 2 people/u, thread);
    const text = JSON.stringify(one);
    expect(promptsSince(before).length).toBeGreaterThan(2);
    for (let n = 0; n < 30; n += 1)
      expect(promptsSince(before).filter((each) => each.includes(`Place ${n}:`)).length).toBeGreaterThan(0);
    expect(text).toContain('lighthouse');
    expect(text).toMatch(link(last));
    expect(text).not.toContain('(discord.com)');
    expect(text).not.toContain('Left out');
    // Nobody else sees it, and nothing of the earlier time is left.
    expect(harness.visibleMessages(GRACE, thread).map(({ id }) => id)).not.toContain(
      one && harness.visibleMessages(ADA, thread).at(-1)?.id,
    );
    expect(harness.visibleMessages(ADA, thread)).toHaveLength(1);
    // Requested on the message at the root of the thread: the same, in the thread.
    await discord.menu('ada', root, 'Summarise thread');
    const atRoot = await harness.once(ADA, /Based on 33 messages of 2 people/u);
    expect(JSON.stringify(atRoot.one)).toMatch(link(last));
  });

  test('a channel is summarized only for the requester, with threads and links', async () => {
    const discord = harness.discord();
    const root = discord.say('grace', undefined, 'Who waters the plants?');
    const thread = discord.core.thread('grace', root, 'Plants');
    const reply = discord.core.say('ada', 'We agreed: the neighbours do.', { channel: thread });
    const theirs = harness.visibleMessages(GRACE).length;
    await discord.slash('ada', undefined, 'summarise', { period: 'week' });
    const { one } = await harness.once(ADA, /neighbours/u);
    expect(JSON.stringify(one)).toMatch(link(reply));
    expect(harness.visibleMessages(GRACE)).toHaveLength(theirs);
  });

  test('“since my last message” includes only later messages, or says that there are none', async () => {
    const discord = harness.discord();
    const { upstream } = journey;
    discord.say('ada', undefined, 'I am off for lunch.');
    const fire = discord.say('grace', undefined, 'The printer is on fire.');
    const before = upstream.journal.length;
    await discord.slash('ada', undefined, 'summarise', { period: 'last-message' });
    const { one } = await harness.once(ADA, /Based on 1 message of 1 person/u);
    expect(JSON.stringify(one)).toMatch(link(fire));
    expect(promptsSince(before).join('')).toContain('The printer is on fire.');
    expect(promptsSince(before).join('')).not.toContain('off for lunch');
    await discord.slash('grace', undefined, 'catchup', {});
    await harness.once(GRACE, /Nothing was said here since/u);
  });

  test('a channel without access to its history gets the name of the missing permission', async () => {
    const { discord, journey: other, close } = await startLockedSystem();
    discord.core.say('ada', 'hello');
    const before = other.upstream.journal.length;
    await discord.slash('ada', undefined, 'summarise', {});
    const notice = await discord.core.until(() =>
      discord.core
        .messages(undefined, ADA)
        .map((one) => JSON.stringify(one))
        .find((one) => one.includes('I lack the permission')),
    );
    expect(notice).toContain('Read Message History');
    expect(other.upstream.journal).toHaveLength(before);
    await close();
  });
});

/** A Discord channel whose history the bot may not read. */
async function startLockedSystem() {
  const { DEFAULT_IDENTITY: identity } = await import('../simulators/discord/index.ts');
  const channels = identity.channels.map((one) =>
    one.id === GENERAL ? { ...one, denied: String(1n << 16n) } : one,
  );
  const other = await startDiscordHarness({ discord: { identity: { channels } } });
  return { discord: other.discord(), journey: other.journey(), close: () => other.close() };
}
