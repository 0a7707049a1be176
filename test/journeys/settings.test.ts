import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Message, PressOutcome } from '../simulators/slack/index.ts';
import {
  answersIn,
  dataFolder,
  type JourneyHarness,
  startJourneyHarness,
  queuesAreEmpty,
  contentOf,
  ephemeralMessagesTo,
  userIdOf,
} from './harness.ts';

const folder = dataFolder();
const TAKEN: PressOutcome = { acknowledged: true };
let journey: JourneyHarness;

beforeAll(async () => {
  journey = await startJourneyHarness(folder.path, {
    variables: { SYSTEM_PROMPT: 'Rule of the deployment.', OTHER_MODELS: 'model-a,model-b' },
  });
});
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

/** Types a command, and resolves with the ephemeral response. */
async function typed(name: string, words: string): Promise<string> {
  const before = ephemeralMessagesTo(journey.slack, name).length;
  expect(await journey.slack.command(name, words)).toEqual(TAKEN);
  return contentOf(await journey.slack.core.until(() => ephemeralMessagesTo(journey.slack, name)[before]));
}

const viewOf = (name: string, of: 'modal' | 'home', words: RegExp) =>
  journey.slack.core.until(() =>
    [...journey.slack.core.state.views.values()].find(
      ({ kind, user, view }) =>
        kind === of && user === userIdOf(journey.slack, name) && words.test(JSON.stringify(view)),
    ),
  );

/** An answer in a thread of its own, once its buttons are shown. */
async function answered(name: string, question: string): Promise<Message> {
  const thread = await journey.slack.say(name, `@parley ${question}`);
  await answersIn(journey.slack, thread);
  await queuesAreEmpty(journey.system);
  const [answer] = await answersIn(journey.slack, thread);
  if (!answer) throw new Error('no answer');
  return answer;
}

/** The system message of the last prompt. */
function systemMessage(): string {
  const request = journey.upstream.journal.findLast(({ path }) => path.endsWith('/chat/completions'));
  return JSON.stringify(request?.body);
}

test('instructions of the deployment and the workspace precede a persona', async () => {
  await typed('ada', '/parley settings instructions Rule of the workspace. for:workspace');
  await typed('grace', '/parley persona save pirate You are a pirate.');
  await typed('grace', '/parley persona use pirate');
  const inOrder = /Rule of the deployment\..*Rule of the workspace\..*You are a pirate\./u;
  await answered('grace', 'What is a fjord?');
  expect(systemMessage()).toMatch(inOrder);
  await typed('grace', '/parley ask private:yes What is a strait?');
  expect(systemMessage()).toMatch(inOrder);
});

describe('language: German', () => {
  test('applies to help, usage, settings, errors, modals and App Home', async () => {
    expect(await typed('grace', '/parley settings language German')).toContain('Meine Einstellungen');
    expect(await typed('grace', '/parley help')).toContain('Einstellungen ansehen und ändern');
    expect(await typed('grace', '/parley usage')).toContain('Deine Ausgaben');
    expect(await typed('grace', '/parley settings')).toContain('Deutsch (von mir)');
    expect(await typed('grace', '/parley dance')).toContain('Den Befehl');
    journey.slack.openHome('grace');
    const { view } = await viewOf('grace', 'home', /Was ich kann, und wie/u);
    expect(JSON.stringify(view)).toMatch(/Was ich kann, und wie.*Erwähne mich.*Meine Einstellungen/u);
    expect(await journey.slack.command('grace', '/parley persona save squire')).toEqual(TAKEN);
    await viewOf('grace', 'modal', /Persona speichern/u);
  });

  test('applies to nobody else', async () => {
    expect(await typed('ada', '/parley help')).toContain('See and change settings');
  });
});

describe('a typed command', () => {
  test('gets an explanation: of a command, and of a missing option with its values', async () => {
    expect(await typed('ada', '/parley help model')).toMatch(
      /Only those that take or can this.*`image` \(Pictures\)/u,
    );
    expect(await typed('ada', '/parley forget')).toMatch(/what: missing.*One of: `me`, `thread`/u);
    expect(await typed('ada', '/parley settings reasoning loud')).toContain(
      '`brief` (How long it took), `full`',
    );
  });

  test('shows effective settings with their source', async () => {
    expect(await typed('ada', '/parley settings')).toMatch(/How long it took \(the operator of this bot\)/u);
  });
});

test('a locked model is not offered below answers or in menus, and an old button names the reason', async () => {
  const before = await answered('ada', 'What is 2 + 2?');
  expect(contentOf(before)).toContain('Ask model-a');
  const [, model = ''] = /Used here: `([^`]+)`/u.exec(await typed('ada', '/parley model')) ?? [];
  await typed('ada', `/parley settings name:model value:${model} for:workspace lock:"it is paid for"`);
  expect(contentOf(await answered('ada', 'What is 3 + 3?'))).not.toContain('Ask model-a');
  const card = await typed('ada', '/parley model');
  expect(card).toContain('it is paid for');
  expect(card).not.toContain('static_select');
  // A button from before the lock remains.
  const [noticeCount, count] = [
    ephemeralMessagesTo(journey.slack, 'ada').length,
    journey.upstream.journal.length,
  ];
  expect(await journey.slack.press('ada', before.ts, 'Ask model-a')).toEqual(TAKEN);
  expect(
    contentOf(await journey.slack.core.until(() => ephemeralMessagesTo(journey.slack, 'ada')[noticeCount])),
  ).toMatch(/model-a.* may not be used here, only .*it is paid for/u);
  expect(journey.upstream.journal).toHaveLength(count);
  await typed('ada', '/parley settings name:model for:workspace lock:no');
});

test('feedback on a bad answer is collected in a modal, and listed for administrators', async () => {
  const { slack } = journey;
  const { ts } = await answered('ada', 'What is an isthmus?');
  const before = ephemeralMessagesTo(journey.slack, 'ada').length;
  expect(await slack.press('ada', ts, 'Bad answer')).toEqual(TAKEN);
  const notice = await slack.core.until(() => ephemeralMessagesTo(journey.slack, 'ada')[before]);
  expect(contentOf(notice)).toContain('What was wrong with it?');
  expect(await slack.press('ada', notice.ts, 'Tell what was wrong')).toEqual(TAKEN);
  await viewOf('ada', 'modal', /What was wrong\?/u);
  expect(await slack.submit('ada', { text: 'It is a strip of land.' })).toEqual(TAKEN);
  await slack.core.until(() =>
    ephemeralMessagesTo(journey.slack, 'ada').find((one) => contentOf(one).includes('can read it')),
  );
  const list = await typed('ada', '/parley feedback');
  expect(list).toMatch(/By model.*By channel.*Week of.*It is a strip of land\./u);
  expect(list).toContain(`/archives/${slack.channel}/`);
  expect(await typed('grace', '/parley feedback')).toContain('nur Admins');
});

// The language of grace is German here.
test('a fact is remembered in a public channel, used in the next thread, and changed in App Home', async () => {
  const { slack } = journey;
  await typed('ada', '/parley settings memory on for:workspace');
  expect(await typed('grace', '/parley memory on')).toContain('Das Gedächtnis ist an');
  expect(await typed('grace', '/parley memory add I live in Lisbon')).toContain('in allen Kanälen');
  await answered('grace', 'Where do I live?');
  expect(systemMessage()).toContain('- I live in Lisbon');
  slack.openHome('grace');
  await viewOf('grace', 'home', /I live in Lisbon/u);
  expect(await slack.pressHome('grace', 'Bearbeiten')).toEqual(TAKEN);
  await viewOf('grace', 'modal', /Speichern/u);
  await slack.submit('grace', { text: 'I live in Porto' });
  await viewOf('grace', 'home', /I live in Porto/u);
  await answered('ada', 'Where does grace live?');
  expect(systemMessage()).not.toMatch(/Lisbon|Porto/u);
});
