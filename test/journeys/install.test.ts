import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { listEvents } from '../../shared/platforms/slack/oauth/scopes.ts';
import { identityOf } from '../simulators/slack/identity.ts';
import type { SlackWorkspace } from '../simulators/slack/user-interactions.ts';
import {
  answersIn,
  dataFolder,
  type JourneyHarness,
  startJourneyHarness,
  waitUntil,
  ephemeralMessagesTo,
} from './harness.ts';

const folder = dataFolder();
const SECOND = 'T1PARLEY00';
const ORG = { id: 'E0ORG00000', name: 'Org', orgInstall: true };
/** A user group with Grace as a member. */
const KEPT_OUT = {
  id: 'S0KEPTOUT0',
  handle: 'kept-out',
  users: identityOf(2).users.flatMap(({ id, name }) => (name === 'grace' ? id : [])),
};
let journey: JourneyHarness;

beforeAll(async () => {
  // The second has not granted the app its file scope.
  const scopes = identityOf(1).scopes.filter((scope) => scope !== 'files:read');
  journey = await startJourneyHarness(folder.path, {
    slack: {
      others: [
        { channels: [], identity: { scopes } },
        {
          channels: [],
          identity: {
            enterprise: ORG,
            groups: [KEPT_OUT],
            subscriptions: listEvents('channels', true),
            users: identityOf(2).users.map((user) =>
              user.name === 'ada' ? { ...user, organizationRole: 'owner' } : user,
            ),
          },
        },
      ],
    },
  });
});

afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

/** A browser that follows redirects with its cookies. */
async function visit(url: string, cookie?: string) {
  const response = await fetch(url, { redirect: 'manual', headers: cookie ? { cookie } : {} });
  const stateCookie = response.headers.get('set-cookie')?.split(';')[0];
  return {
    status: response.status,
    to: response.headers.get('location'),
    stateCookie,
    html: await response.text(),
  };
}

async function askedBySlack(team: string) {
  const { api } = journey.system.local;
  const began = await visit(`${api}/slack/install`);
  const page = await visit(`${began.to}&team=${team}`);
  const [allow = '', cancel = ''] = [...page.html.matchAll(/href="([^"]+)"/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  );
  return { cookie: began.stateCookie ?? '', allow, cancel, page: page.html };
}

test('a second workspace installs the app, and is answered with its own token', async () => {
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
  // The first keeps the deployment's own token.
  const first = await slack.say('ada', `<@${slack.botUserId}> hello`);
  await answersIn(slack, first);
});

/** The bot's complete messages in a thread of a workspace, once there are this many. */
function answers({ core, channel, botUserId }: SlackWorkspace, thread: string, count: number) {
  return core.until(() => {
    const all = [...(core.state.messages.get(channel)?.values() ?? [])];
    const ours = all.filter((one) => one.thread === thread && one.user === botUserId && !one.stream?.open);
    const done = ours.filter(({ blocks }) => JSON.stringify(blocks ?? []).includes('parley:regenerate'));
    return done.length >= count ? done.map(({ text }) => text) : undefined;
  });
}

test('two workspaces at the same time never share a token, history or file', async () => {
  const { slack, upstream } = journey;
  const sides = slack.workspaces.slice(0, 2).map((side, nth) => ({ side, secret: `secret-of-${nth}` }));
  const from = { calls: slack.calls.length, requests: upstream.journal.length };
  const installs = await Promise.all(
    [1, 2, 3].flatMap((n) =>
      sides.map(async ({ side, secret }) => {
        const files = [{ name: `${secret}.txt`, content: `The word is ${secret}.` }];
        const text = `<@${side.botUserId}> Remember ${secret}-${n}.`;
        const thread = await side.say('ada', text, n === 1 ? { files } : {});
        await answers(side, thread, 1);
        await side.say('ada', 'What did I ask before?', { thread });
        return { secret, texts: await answers(side, thread, 2) };
      }),
    ),
  );
  for (const { secret, texts } of installs) expect(texts[1]).toContain(secret);
  const bodies = upstream.journal.slice(from.requests).map(({ body }) => JSON.stringify(body));
  const holding = sides.map(({ secret }) => bodies.filter((body) => body.includes(secret)).length);
  expect(holding).toEqual([6, 6]);
  expect(bodies.filter((body) => sides.every(({ secret }) => body.includes(secret)))).toEqual([]);
  for (const [nth, { side, secret }] of sides.entries()) {
    const calls = slack.calls.slice(from.calls).filter(({ team }) => team === side.teamId);
    expect(calls.length).toBeGreaterThan(0);
    const other = sides[1 - nth];
    expect(JSON.stringify(calls)).not.toContain(other?.secret);
    expect(JSON.stringify(calls)).not.toContain(other?.side.channel);
    expect(JSON.stringify(calls)).toContain(secret);
  }
});

test('a file without access is named, with who can grant access', async () => {
  const second = journey.slack.workspaces[1];
  if (!second) throw new Error('there is no second workspace');
  const files = [{ name: 'plan.txt', content: 'Nobody may read this.' }];
  const thread = await second.say('ada', `<@${second.botUserId}> What does it say?`, { files });
  const [text] = await answers(second, thread, 1);
  expect(text).toMatch(/plan\.txt.*files:read/su);
  expect(JSON.stringify(journey.upstream.journal.at(-1)?.body)).not.toContain('Nobody may read');
});

test('an installation cannot be completed in another browser or twice, and a denial installs nothing', async () => {
  const mine = await askedBySlack(SECOND);
  const theirs = await askedBySlack(SECOND);
  const crossed = await visit(mine.allow, theirs.cookie);
  expect([crossed.status, crossed.html]).toEqual([
    400,
    expect.stringContaining('not started in this browser'),
  ]);
  expect((await visit(mine.allow)).status).toBe(400);
  expect((await visit(mine.cancel, mine.cookie)).html).toContain('Nothing was installed');
  expect((await visit(theirs.allow, theirs.cookie)).status).toBe(200);
  const again = await visit(theirs.allow, theirs.cookie);
  expect([again.status, again.html]).toEqual([400, expect.stringContaining('Open the install page again')]);
});

/** The number of keys in the table that contain a workspace id. */
async function keptOf(workspace: string): Promise<string[]> {
  const { dynamodb, environment: access, resources: inventory } = journey.system.emulator;
  const credentials = {
    accessKeyId: access['AWS_ACCESS_KEY_ID'] ?? '',
    secretAccessKey: access['AWS_SECRET_ACCESS_KEY'] ?? '',
  };
  const client = new DynamoDB({ region: access['AWS_REGION'] ?? '', endpoint: dynamodb, credentials });
  const TableName = inventory.tables.find(({ name }) => name.startsWith('Conversations'))?.name;
  const { Items = [] } = await client.scan({ TableName });
  return Items.map(({ pk }) => pk?.S ?? '').filter((pk) => `#${pk}#`.includes(`#slack#${workspace}#`));
}

const secondOf = (ms: number): number => Math.floor(ms / 1_000);
let removedIn = 0;

test.each(['once', 'again after a new install'])(
  'when the app is removed %s, all data of that workspace is deleted, and none of another',
  async () => {
    const { slack } = journey;
    const second = slack.workspaces[1];
    if (!second) throw new Error('there is no second workspace');
    const { cookie, allow } = await askedBySlack(SECOND);
    expect((await visit(allow, cookie)).status).toBe(200);
    const ts = await second.say('ada', `<@${second.botUserId}> hello`);
    await second.core.until(() =>
      [...(second.core.state.messages.get(second.channel)?.values() ?? [])].some(
        ({ thread, user, stream }) => thread === ts && user === second.botUserId && !stream?.open,
      )
        ? true
        : undefined,
    );
    await answersIn(slack, await slack.say('ada', `<@${slack.botUserId}> hello`));
    const others = await keptOf(slack.teamId);
    expect((await keptOf(SECOND)).length).toBeGreaterThan(1);
    // Slack sends the second removal event, which a repetition would resemble: nobody removes an app twice.
    await waitUntil(() => secondOf(Date.now()) > removedIn);
    removedIn = secondOf(Date.now());
    second.core.uninstall();
    while ((await keptOf(SECOND)).length > 0);
    expect(await keptOf(slack.teamId)).toEqual(others);
  },
);

test('an organization-wide installation works in all workspaces: answers, buttons and follow-ups', async () => {
  const { slack, upstream } = journey;
  const org = slack.workspaces[2];
  if (!org) throw new Error('there is no third workspace');
  const { cookie, allow } = await askedBySlack(org.teamId);
  expect(await visit(allow, cookie)).toMatchObject({ status: 200, html: expect.stringContaining('Org') });
  const from = slack.calls.length;
  const thread = await org.say('ada', `<@${org.botUserId}> My name is Ada.`);
  await answers(org, thread, 1);
  await org.say('ada', 'What is my name?', { thread });
  expect((await answers(org, thread, 2))[1]).toContain('Ada');
  const last = [...(org.core.state.messages.get(org.channel)?.values() ?? [])].at(-1);
  const requests = upstream.journal.length;
  await org.press('ada', last?.ts ?? '', 'Regenerate');
  await waitUntil(() => upstream.journal.length > requests);
  await answers(org, thread, 2);
  // Its groups are those of the workspace of the person.
  await org.command('ada', `/parley settings denied @${KEPT_OUT.handle} for:workspace`);
  await waitUntil(() =>
    JSON.stringify(ephemeralMessagesTo(org, 'ada')).includes(`<!subteam^${KEPT_OUT.id}>`),
  );
  await org.command('grace', '/parley help');
  await waitUntil(() =>
    JSON.stringify(ephemeralMessagesTo(org, 'grace')).includes('You may not use me here'),
  );
  const calls = slack.calls.slice(from).filter(({ team }) => team === org.teamId);
  expect(calls.length).toBeGreaterThan(0);
  expect(calls.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
  expect(slack.calls.slice(from).filter(({ team }) => team !== org.teamId)).toEqual([]);
  const { enterprise } = org.core.identity;
  const organization = enterprise?.id ?? '';
  const turnsKept = async () => (await keptOf(organization)).filter((pk) => pk.startsWith('slack#'));
  expect((await turnsKept()).length).toBeGreaterThan(1);
  // When one workspace loses the app, its questions are erased; the organization still has the app.
  org.core.revokeAccess([org.teamId]);
  while ((await turnsKept()).length > 0);
  expect((await keptOf(organization)).length).toBeGreaterThan(0);
  org.core.uninstall();
  while ((await keptOf(organization)).length > 0);
});
