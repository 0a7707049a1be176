import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DEFAULT_IDENTITY } from '../simulators/slack/index.ts';
import type { Message, PressOutcome, SlackWorkspace } from '../simulators/slack/index.ts';
import {
  dataFolder,
  type JourneyHarness,
  startJourneyHarness,
  contentOf,
  messagesIn,
  userIdOf,
  ephemeralMessagesTo,
} from './harness.ts';

const folder = dataFolder();
/** A channel without the bot. */
const ELSEWHERE = { id: 'C0ELSE0000', name: 'elsewhere' } as const;
const TAKEN: PressOutcome = { acknowledged: true };
let journey: JourneyHarness;

beforeAll(async () => {
  const people = DEFAULT_IDENTITY.users.map(({ id }) => id);
  const channels = [{ ...ELSEWHERE, kind: 'channel' as const, members: people }];
  journey = await startJourneyHarness(folder.path, {
    slack: { channels },
    variables: { VIDEO_MODELS: 'model-a-video:image_url:0.35' },
  });
});
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

/** The ephemeral messages for one person in `general`. */
const toldTo = (name: string, of: SlackWorkspace = journey.slack) => ephemeralMessagesTo(of, name);

/** Types a command, and resolves with the ephemeral response. */
async function typed(name: string, words: string, of: SlackWorkspace = journey.slack): Promise<Message> {
  const before = toldTo(name, of).length;
  expect(await of.command(name, words)).toEqual(TAKEN);
  return of.core.until(() => toldTo(name, of)[before]);
}

/** The open modal of a person. */
const modalOf = (name: string, of: SlackWorkspace = journey.slack) =>
  of.core.until(() =>
    [...of.core.state.views.values()].find(
      ({ kind, user }) => kind === 'modal' && user === userIdOf(of, name),
    ),
  );

/** Submits the modal, and resolves with the ephemeral response. */
async function sent(name: string, filled: Readonly<Record<string, string>>): Promise<Message> {
  const before = toldTo(name).length;
  expect(await journey.slack.submit(name, filled)).toEqual(TAKEN);
  return journey.slack.core.until(() => toldTo(name)[before]);
}

/** The message once it contains this text: a response may replace the clicked one. */
const once = (name: string, words: RegExp): Promise<Message> =>
  journey.slack.core.until(() => toldTo(name).findLast((one) => words.test(contentOf(one))));

describe('each command', () => {
  test.each([
    ['help', /parley settings/u],
    ['settings', /My settings/u],
    ['model', /Models/u],
    ['persona', /No persona is saved yet/u],
    ['usage', /"type":"header"|spent|kept/u],
    ['quota', /./u],
    ['voice', /./u],
    ['animate list', /./u],
    ['dance', /There is no command “dance”/u],
  ])('%s gets an ephemeral response', async (words, meant) => {
    expect(contentOf(await typed('ada', `/parley ${words}`))).toMatch(meant);
  });

  test('ask starts a public thread with the answer, which other people can continue', async () => {
    const { slack } = journey;
    expect(await slack.command('grace', '/parley ask What is a fjord?')).toEqual(TAKEN);
    const answer = await slack.core.until(() =>
      messagesIn(slack).find(
        ({ thread, user, stream, ephemeralTo }) =>
          thread !== undefined && !ephemeralTo && user === slack.botUserId && stream?.open === false,
      ),
    );
    const root = slack.core.state.messages.get(slack.channel)?.get(answer.thread ?? '');
    expect(contentOf(root)).toContain('What is a fjord?');
  });

  test('ask with private:true shows question and answer only to the requester', async () => {
    const open = messagesIn(journey.slack).filter(({ ephemeralTo }) => !ephemeralTo).length;
    const answer = await typed('grace', '/parley ask private:yes What is a strait?');
    expect(contentOf(answer)).not.toBe('');
    expect(messagesIn(journey.slack).filter(({ ephemeralTo }) => !ephemeralTo)).toHaveLength(open);
  });

  test('export sends a file in a direct message', async () => {
    const { slack } = journey;
    expect(contentOf(await typed('ada', '/parley export'))).toContain('collecting');
    const file = await slack.core.until(() =>
      [...slack.core.state.messages.values()]
        .flatMap((all) => [...all.values()])
        .find(({ user, files = [] }) => user === slack.botUserId && files.length > 0),
    );
    expect(file.channel).not.toBe(slack.channel);
    expect(slack.core.state.files.get(file.files?.[0] ?? '')?.file.name).toMatch(/^parley-person-/u);
  });

  test('summarise works as a message shortcut', async () => {
    const { slack } = journey;
    const ts = await slack.say('ada', 'We meet on Monday.');
    const before = toldTo('ada').length;
    slack.core.allowHistoryReads();
    expect(await slack.shortcut('ada', 'summarise', ts)).toEqual(TAKEN);
    await slack.core.until(() => toldTo('ada')[before]);
    const request = journey.upstream.journal.findLast(({ path }) => path.endsWith('/chat/completions'));
    expect(JSON.stringify(request?.body)).toContain('We meet on Monday.');
  });

  test('summarise reports that the bot is not in the channel', async () => {
    const { slack } = journey;
    const ts = await slack.say('ada', 'We meet on Tuesday.', { channel: ELSEWHERE.id });
    await slack.say('grace', 'Agreed.', { channel: ELSEWHERE.id, thread: ts });
    const requests = journey.upstream.journal.length;
    slack.core.allowHistoryReads();
    expect(await slack.shortcut('ada', 'summarise', ts, ELSEWHERE.id)).toEqual(TAKEN);
    const notice = await slack.core.until(() =>
      [...(slack.core.state.messages.get(ELSEWHERE.id)?.values() ?? [])].find(
        ({ ephemeralTo }) => ephemeralTo,
      ),
    );
    expect(contentOf(notice)).toMatch(/I am not in this channel, so I cannot read it/u);
    expect(journey.upstream.journal).toHaveLength(requests);
  });
});

describe('a modal', () => {
  test('of a persona is opened by the front, shows a preview, and sets the persona', async () => {
    const { slack } = journey;
    expect(await slack.command('ada', '/parley persona save pirate')).toEqual(TAKEN);
    const { view } = await modalOf('ada');
    expect(view['title']).toMatchObject({ text: 'Save a persona' });
    const card = await sent('ada', { text: 'You talk like a pirate.' });
    expect(contentOf(card)).toContain('You talk like a pirate.');
    expect(await slack.press('ada', card.ts, 'Use it for me')).toEqual(TAKEN);
    expect(contentOf(await once('ada', /pirate \(mine\)/u))).toContain('persona');
  });

  test('saves a text setting', async () => {
    const { slack } = journey;
    expect(await slack.command('grace', '/parley settings temperature')).toEqual(TAKEN);
    await modalOf('grace');
    expect(contentOf(await sent('grace', { value: '0.5' }))).toContain('0.5 (mine)');
  });

  test('that the model filled in is edited, and posted with the name of the person', async () => {
    const { slack } = journey;
    expect(await slack.command('ada', '/parley schema save bug')).toEqual(TAKEN);
    await modalOf('ada');
    const properties = { title: { type: 'string' }, severity: { enum: ['low', 'high'] } };
    const text = JSON.stringify({ type: 'object', properties, required: ['title', 'severity'] });
    expect(contentOf(await sent('ada', { text }))).toContain('/parley ask schema:bug');
    const card = await typed('ada', '/parley ask schema:bug The login page is broken');
    expect(await slack.press('ada', card.ts, 'Edit')).toEqual(TAKEN);
    await modalOf('ada');
    expect(await slack.submit('ada', { f0: 'Login is broken', f1: 'high' })).toEqual(TAKEN);
    const edited = await once('ada', /Login is broken.*Send/u);
    expect(await slack.press('ada', edited.ts, 'Send')).toEqual(TAKEN);
    const open = await slack.core.until(() =>
      messagesIn(slack).find((one) => !one.ephemeralTo && contentOf(one).includes('Login is broken')),
    );
    expect(contentOf(open)).toContain(`<@${userIdOf(slack, 'ada')}>`);
    expect(contentOf(open)).not.toContain('Edit');
  });

  test('for a message contains the text of the message', async () => {
    const { slack } = journey;
    const ts = await slack.say('ada', 'The fjord is 200 m deep.');
    expect(await slack.shortcut('grace', 'ask-about', ts)).toEqual(TAKEN);
    await modalOf('grace');
    await sent('grace', { question: 'How deep?' });
    const request = journey.upstream.journal.findLast(({ path }) => path.endsWith('/chat/completions'));
    expect(JSON.stringify(request?.body)).toMatch(/How deep\?.*> The fjord is 200 m deep\./u);
  });

  test('that cannot be opened is reported, and no input is lost', async () => {
    const { slack } = journey;
    const card = await typed('ada', '/parley persona');
    slack.faults.add({ method: 'views.open', kind: 'refuse', error: 'expired_trigger_id' });
    expect(await slack.press('ada', card.ts, 'Save')).toEqual(TAKEN);
    expect(contentOf(await once('ada', /could not be opened/u))).toContain('Try again');
  });
});

describe('the message shortcut “More actions”', () => {
  test('offers the actions that do not fit into the menu, and applies them to the message', async () => {
    const { slack } = journey;
    const thread = await slack.say('ada', '@parley What is 4 + 4?');
    const answer = await slack.core.until(() =>
      messagesIn(slack).find((one) => one.thread === thread && /8/u.test(one.text) && !one.stream?.open),
    );
    expect(await slack.shortcut('ada', 'more-actions', answer.ts)).toEqual(TAKEN);
    expect(JSON.stringify((await modalOf('ada')).view)).toMatch(
      /Export thread.*Forget this.*Thread settings.*Why this answer/u,
    );
    expect(contentOf(await sent('ada', { action: 'why' }))).toContain('What happened');
    await slack.shortcut('ada', 'more-actions', answer.ts);
    await modalOf('ada');
    expect(contentOf(await sent('ada', { action: 'settings' }))).toMatch(/thread/iu);
  });

  test('posts a card with a button for each action when the modal cannot be opened', async () => {
    const { slack } = journey;
    const ts = await slack.say('ada', 'A message for the menu.');
    slack.faults.add({ method: 'views.open', kind: 'refuse', error: 'expired_trigger_id' });
    expect(await slack.shortcut('grace', 'more-actions', ts)).toEqual(TAKEN);
    const card = await once('grace', /More actions/u);
    expect(await slack.press('grace', card.ts, 'Why this answer')).toEqual(TAKEN);
    await once('grace', /nothing/iu);
  });
});

test('the command without arguments shows a menu whose buttons run the commands', async () => {
  const { slack } = journey;
  const menu = await typed('grace', '/parley');
  expect(contentOf(menu)).toMatch(/"Ask".*See and change settings/u);
  expect(await slack.press('grace', menu.ts, 'Ask')).toEqual(TAKEN);
  await modalOf('grace');
  await slack.dismiss('grace');
  expect(await slack.press('grace', menu.ts, 'See and change settings')).toEqual(TAKEN);
  await once('grace', /My settings/u);
});

describe('permissions', () => {
  test('a person who is no administrator gets an ephemeral refusal, and nothing changes', async () => {
    const no = await typed('grace', '/parley settings effort high for:workspace');
    expect(contentOf(no)).toContain('Only admins can');
    expect(toldTo('ada').some((one) => contentOf(one).includes('Only admins can'))).toBe(false);
    const settings = await typed('ada', '/parley settings for:workspace');
    expect(contentOf(settings)).not.toContain('High (the workspace)');
  });

  test('an administrator changes a setting for everybody', async () => {
    expect(contentOf(await typed('ada', '/parley settings effort high for:workspace'))).toContain('high');
    expect(contentOf(await typed('grace', '/parley settings'))).toContain('High (the workspace)');
  });

  test('a stale menu changes nothing, and shows the current value', async () => {
    const { slack } = journey;
    const [old] = [await typed('ada', '/parley settings'), await typed('ada', '/parley settings footer yes')];
    const block = (old?.blocks ?? []).findIndex((one) =>
      JSON.stringify(one).includes('settings.set|person|reasoning'),
    );
    expect(await slack.press('ada', old?.ts ?? '', { block, element: 0, value: 'full' })).toEqual(TAKEN);
    await once('ada', /Someone changed this a moment ago/u);
  });
});

test('a person who may not ask gets an ephemeral refusal where they asked', async () => {
  const { slack } = journey;
  await typed('ada', `/parley settings denied <@${userIdOf(slack, 'grace')}> for:workspace`);
  const before = toldTo('grace').length;
  const root = await slack.say('grace', '@parley What is a fjord?');
  const notice = await slack.core.until(() => toldTo('grace')[before]);
  expect([contentOf(notice), notice.thread]).toEqual([
    expect.stringContaining('You may not use me here'),
    undefined,
  ]);
  await slack.say('ada', 'I know!', { thread: root });
  await slack.say('grace', '@parley And you?', { thread: root });
  expect((await slack.core.until(() => toldTo('grace')[before + 1])).thread).toBe(root);
  await typed('ada', '/parley settings denied reset for:workspace');
});

test('App Home shows settings and usage, and updates in place', async () => {
  const { slack } = journey;
  const home = (name: string) =>
    slack.core.until(() =>
      [...slack.core.state.views.values()].find(
        ({ kind, user }) => kind === 'home' && user === userIdOf(slack, name),
      ),
    );
  slack.openHome('grace');
  const { view } = await home('grace');
  expect(JSON.stringify(view)).toContain('0.5 (mine)');
  const blocks = Array.isArray(view['blocks']) ? view['blocks'] : [];
  const block = blocks.findIndex((one) => JSON.stringify(one).includes('settings.set|person|reasoning'));
  expect(await slack.pressHome('grace', { block, element: 0, value: 'full' })).toEqual(TAKEN);
  await slack.core.until(() =>
    [...slack.core.state.views.values()].find(
      ({ kind, view: now }) =>
        kind === 'home' && JSON.stringify(now).includes('How long, and its end (mine)'),
    ),
  );
  const rejectedCalls = slack.calls.filter(
    ({ method, outcome }) => method.startsWith('views.') && outcome !== 'ok',
  );
  // The two that earlier tests let Slack refuse.
  expect(rejectedCalls.map(({ method }) => method)).toEqual(['views.open', 'views.open']);
});
