import { afterEach, expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { parseCommand } from '../../../../shared/platforms/slack/inbound/interactions.ts';
import {
  type ModalOpenerDeps,
  createModalOpener,
} from '../../../../shared/platforms/slack/posts/open-modal.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

type Seen = { readonly method: string; readonly bearer: string; readonly args: URLSearchParams };

/** A Slack with these responses by method. */
async function slack(answers: Readonly<Record<string, string>>, language?: ModalOpenerDeps['language']) {
  const requests: Seen[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const method = (request.url ?? '').slice('/api/'.length);
      requests.push({ method, bearer: request.headers.authorization ?? '', args: new URLSearchParams(body) });
      return response.end(answers[method] ?? '{"ok":false,"error":"unknown_method"}');
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  closers.push(() => void server.close());
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no address');
  const slackApiUrl = `http://127.0.0.1:${address.port}/api/`;
  const open = createModalOpener({
    slackApiUrl,
    token: (workspace) => Promise.resolve(`xoxb-${workspace}`),
    language,
  });
  return { requests, open };
}

const called = () => {
  const body = { command: '/parley', text: '', team_id: 'T1', channel_id: 'C1', user_id: 'U1' };
  const parsed = parseCommand({ ...body, trigger_id: 'trigger-1', response_url: 'https://x.example' }, 0);
  if (!parsed) throw new Error('no call');
  return parsed;
};
const formIn = (tag: string | undefined) => ({
  title: `in ${tag ?? 'none'}`,
  submit: 'Send',
  action: { name: 'persona.save', args: [] },
  fields: [],
});

test('a modal is opened with the token of its workspace, in the locale of the person, which is requested once', async () => {
  const { requests, open } = await slack({
    'users.info': '{"user":{"locale":"de-DE"}}',
    'views.open': '{"ok":true}',
  });
  await open(called(), formIn);
  await open(called(), formIn);
  expect(requests.map(({ method, bearer }) => [method, bearer])).toEqual([
    ['users.info', 'Bearer xoxb-T1'],
    ['views.open', 'Bearer xoxb-T1'],
    ['views.open', 'Bearer xoxb-T1'],
  ]);
  const { args } = requests[1] ?? {};
  expect(args?.get('trigger_id')).toBe('trigger-1');
  expect(JSON.parse(args?.get('view') ?? '')).toMatchObject({ type: 'modal', title: { text: 'in de-DE' } });
});

test('a language setting precedes the locale of the person; an unreadable one is ignored', async () => {
  const answers = { 'users.info': '{"user":{"locale":"de-DE"}}', 'views.open': '{"ok":true}' };
  const set = await slack(answers, async ({ by }) => (by.user === 'U1' ? 'fr' : undefined));
  await set.open(called(), formIn);
  expect(set.requests.map(({ method }) => method)).toEqual(['views.open']);
  expect(set.requests[0]?.args.get('view')).toContain('in fr');
  const broken = await slack(answers, () => Promise.reject(new Error('no table')));
  await broken.open(called(), formIn);
  expect(broken.requests[1]?.args.get('view')).toContain('in de-DE');
});

test('a modal opens also without a known locale', async () => {
  const { requests, open } = await slack({ 'views.open': '{"ok":true}' });
  await open(called(), formIn);
  expect(JSON.parse(requests[1]?.args.get('view') ?? '')).toMatchObject({ title: { text: 'in none' } });
});

test.each([
  ['expired_trigger_id', '{"ok":false,"error":"expired_trigger_id"}', 'expired_trigger_id'],
  ['a response that is not JSON', '<html>secret</html>', 'SyntaxError'],
  ['a response that is too long', JSON.stringify({ ok: true, x: 'x'.repeat(70_000) }), 'Error'],
  ['a malformed code', '{"ok":false,"error":"a secret!"}', 'unreadable'],
])('%s: the modal is not opened, and the reason contains nothing else', async (_, views, reason) => {
  const { open } = await slack({ 'views.open': views });
  await expect(open(called(), formIn)).rejects.toThrow(new RegExp(`^${reason}$`, 'u'));
});
