import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { answersIn, dataFolder, type Journey, startJourney } from './system.ts';

const folder = dataFolder();
const SECOND = 'T1PARLEY00';
let journey: Journey;

beforeAll(async () => {
  journey = await startJourney(folder.path, { slack: { others: [{ channels: [] }] } });
}, 60_000);

afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

/** What a browser does that is sent from page to page, with its cookie. */
async function visit(url: string, cookie?: string) {
  const response = await fetch(url, { redirect: 'manual', headers: cookie ? { cookie } : {} });
  const kept = response.headers.get('set-cookie')?.split(';')[0];
  return { status: response.status, to: response.headers.get('location'), kept, html: await response.text() };
}

async function askedBySlack(team: string) {
  const { api } = journey.system.local;
  const began = await visit(`${api}/slack/install`);
  const page = await visit(`${began.to}&team=${team}`);
  const [allow = '', cancel = ''] = [...page.html.matchAll(/href="([^"]+)"/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  );
  return { cookie: began.kept ?? '', allow, cancel, page: page.html };
}

test('a second workspace installs the app, and is answered there with a token of its own', async () => {
  const { slack } = journey;
  const second = slack.workspaces[1];
  if (!second) throw new Error('there is no second workspace');
  const { cookie, allow, page } = await askedBySlack(SECOND);
  expect(page).toContain('wants to access Parley Works 2');
  const done = await visit(allow, cookie);
  expect([done.status, done.html]).toEqual([200, expect.stringContaining('Parley Works 2')]);

  const ts = await second.say('ada', `<@${second.botUserId}> hello`);
  const [answer] = await second.core.until(() => {
    const all = [...(second.core.state.messages.get(second.channel)?.values() ?? [])];
    const ours = all.filter(
      ({ thread, user, stream }) => thread === ts && user === second.botUserId && !stream?.open,
    );
    return ours.length > 0 ? ours : undefined;
  });
  expect(answer?.text).not.toBe('');
  expect(slack.calls.filter(({ team, outcome }) => team === SECOND && outcome !== 'ok')).toEqual([]);
  // The first goes on with the deployment's own token.
  const first = await slack.say('ada', `<@${slack.botUserId}> hello`);
  await answersIn(slack, first);
}, 30_000);

test('nobody finishes an install that another browser began, nor one twice; a no installs nothing', async () => {
  const mine = await askedBySlack(SECOND);
  const theirs = await askedBySlack(SECOND);
  const crossed = await visit(mine.allow, theirs.cookie);
  expect([crossed.status, crossed.html]).toEqual([400, expect.stringContaining('not begun in this browser')]);
  expect((await visit(mine.allow)).status).toBe(400);
  expect((await visit(mine.cancel, mine.cookie)).html).toContain('Nothing was installed');
  expect((await visit(theirs.allow, theirs.cookie)).status).toBe(200);
  const again = await visit(theirs.allow, theirs.cookie);
  expect([again.status, again.html]).toEqual([502, expect.stringContaining('Begin again')]);
});
