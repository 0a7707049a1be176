import { afterEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import * as v from 'valibot';
import {
  createResponseUrlClient,
  hookOrigins,
  ResponseUrlError,
} from '../../../../shared/platforms/slack/posts/response-url.ts';
import { renderCard } from '../../../../shared/platforms/slack/blocks/card-blocks.ts';
import {
  type SlackSimulator,
  type SlackSimulatorOptions,
  startSlackSimulator,
} from '../../../simulators/slack/index.ts';
import { responseUrl } from '../../../simulators/slack/harness.ts';

const section = v.object({ type: v.literal('section'), text: v.object({ text: v.string() }) });

let slack: SlackSimulator;
const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await slack.close();
});

/** A response_url of Ada in `general`, and the messages she gets. */
async function called(options: SlackSimulatorOptions = {}) {
  slack = await startSlackSimulator(options);
  const ada = slack.users[0]?.id ?? '';
  const commandUrl = responseUrl(slack.core.command(ada, '/parley help', slack.channel));
  const answer = createResponseUrlClient(slack.apiUrl);
  const ephemeralMessages = () =>
    [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].filter(
      ({ ephemeralTo }) => ephemeralTo === ada,
    );
  const outcomes = () => slack.calls.map(({ outcome }) => outcome);
  return { commandUrl, answer, ephemeralMessages, outcomes };
}

const CARD = renderCard({
  title: 'Models',
  parts: [
    { kind: 'text', markdown: `**Bold** and [a link](https://example.com). ${'Long. '.repeat(700)}` },
    {
      kind: 'controls',
      controls: [{ kind: 'button', label: 'Help', action: { name: 'help.show', args: [] } }],
    },
  ],
});

/** A server that responds with these plain texts to everything except plain text. */
async function plainHook(status: number, body: string) {
  slack = await startSlackSimulator();
  const sent: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((content) => {
      const kind = ['markdown', 'section'].find((type) => content.includes(`"type":"${type}"`)) ?? 'words';
      sent.push(kind === 'section' ? 'sections' : kind);
      return kind === 'words' ? response.end('ok') : response.writeHead(status).end(body);
    });
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const answer = createResponseUrlClient(`${origin}/api/`);
  return { sent, answer: (card: typeof CARD) => answer(`${origin}/commands/T1/1/x`, card) };
}

describe('a response by response_url', () => {
  test('is accepted when Slack says ok', async () => {
    const { commandUrl, answer, ephemeralMessages } = await called();
    await answer(commandUrl, CARD);
    expect(ephemeralMessages()[0]?.blocks?.map(({ type }) => type)).toEqual([
      'header',
      'markdown',
      'actions',
    ]);
  });

  test('that Slack refuses with status 200 rejects with the code of Slack', async () => {
    const { commandUrl, answer } = await called();
    await expect(answer(commandUrl, { text: '' })).rejects.toThrow(new ResponseUrlError('no_text'));
  });

  test('is sent once as sections with its buttons where Slack refuses Markdown blocks', async () => {
    const { commandUrl, answer, ephemeralMessages, outcomes } = await called({ hooksRefuseMarkdown: true });
    await answer(commandUrl, CARD);
    expect(outcomes()).toEqual(['markdown', 'ok']);
    const [message] = ephemeralMessages();
    const types = message?.blocks?.map(({ type }) => type) ?? [];
    expect(types).toEqual(['header', 'section', 'section', 'actions']);
    expect(JSON.stringify(message?.blocks)).toContain('*Bold* and <https://example.com|a link');
    await answer(commandUrl, CARD);
    expect(outcomes()).toEqual(['markdown', 'ok', 'ok']);
  });

  test('with long code is divided into sections whose blocks of code are closed and have no language', async () => {
    const { commandUrl, answer, ephemeralMessages } = await called({ hooksRefuseMarkdown: true });
    const lines = Array.from({ length: 150 }, (_, line) => `if (a_${line} && b < c_${line}) return *x*;`);
    const markdown = `Here:\n\n\`\`\`js\n${lines.join('\n')}\n\`\`\`\nDone & dusted.`;
    await answer(commandUrl, { text: 'Code', blocks: [{ type: 'markdown', text: markdown }] });
    const [message] = ephemeralMessages();
    const texts = v.parse(v.array(section), message?.blocks).map(({ text: { text: words } }) => words);
    expect(texts.length).toBeGreaterThan(2);
    for (const words of texts) {
      expect(words.length).toBeLessThanOrEqual(3_000);
      expect(words.match(/```/gu)).toHaveLength(2);
      expect(words).not.toMatch(/```js/u);
    }
    const code = texts
      .join('\n')
      .replaceAll(/```\n?/gu, '')
      .split('\n');
    const escaped = lines.map((line) => line.replaceAll('&', '&amp;').replaceAll('<', '&lt;'));
    expect(code.filter((line) => line !== '')).toEqual(['Here:', ...escaped, 'Done &amp; dusted.']);
  });

  test('whose blocks Slack refuses is sent as text', async () => {
    const { commandUrl, answer, ephemeralMessages, outcomes } = await called();
    const empty = { type: 'header', text: { type: 'plain_text', text: '' } } as const;
    const markdown = { type: 'markdown', text: 'All **there** is.' } as const;
    await answer(commandUrl, { text: 'Fallback.', blocks: [empty, markdown] });
    expect(outcomes()).toEqual(['invalid_blocks', 'invalid_blocks', 'ok']);
    expect(ephemeralMessages()).toMatchObject([{ text: 'All *there* is.' }]);
    expect(ephemeralMessages()[0]).not.toHaveProperty('blocks');
  });

  test('that is refused with a bare code and status 200 is finally sent as text', async () => {
    const hook = await plainHook(200, 'invalid_blocks');
    await hook.answer(CARD);
    expect(hook.sent).toEqual(['markdown', 'sections', 'words']);
  });

  test.each([
    [410, 'channel_is_archived'],
    [404, 'no_service'],
  ])('to an expired URL, reported as a bare code (%i %s), is not retried', async (status, body) => {
    const hook = await plainHook(status, body);
    await expect(hook.answer(CARD)).rejects.toThrow(body);
    expect(hook.sent).toEqual(['markdown']);
  });

  test.each([502, 503, 504])('that a gateway answers with %i is not sent in another form', async (status) => {
    const hook = await plainHook(status, '<html>Bad gateway</html>');
    for (let n = 0; n < 2; n += 1) await expect(hook.answer(CARD)).rejects.toThrow(`status ${status}`);
    expect(hook.sent).toEqual(['markdown', 'markdown']);
  });

  test.each(['ok\n', '', '<!DOCTYPE html><title>ok</title>'])(
    'is accepted with the body %j',
    async (body) => {
      const hook = await plainHook(200, body);
      await hook.answer(CARD);
      expect(hook.sent).toEqual(['markdown']);
    },
  );

  test.each(['expired_url', 'used_url'])('to an expired URL (%s) is not retried', async (error) => {
    const { commandUrl, answer, outcomes } = await called();
    slack.faults.add({ method: 'response_url', kind: 'refuse', error });
    await expect(answer(commandUrl, CARD)).rejects.toThrow(error);
    expect(outcomes()).toEqual(['refuse']);
  });

  test('without a reply is not retried, since it may have been accepted', async () => {
    const { commandUrl, answer, outcomes } = await called();
    slack.faults.add({ method: 'response_url', kind: 'cut' });
    await expect(answer(commandUrl, CARD)).rejects.toThrow('no answer');
    expect(outcomes()).toEqual(['cut']);
  });
});

test.each([
  ['https://slack.com/api/', ['https://hooks.slack.com']],
  ['https://www.slack.com/api/', ['https://hooks.slack.com']],
  ['https://slack-gov.com/api/', ['https://hooks.slack-gov.com']],
  [
    'http://127.0.0.1:3000/api/',
    ['http://127.0.0.1:3000', 'https://hooks.slack.com', 'https://hooks.slack-gov.com'],
  ],
])('the response URLs for the API %s are at %j', async (api, origins) => {
  slack = await startSlackSimulator();
  expect(hookOrigins(api)).toEqual(origins);
});

test('a URL that is not of Slack is not requested', async () => {
  slack = await startSlackSimulator();
  const answer = createResponseUrlClient('https://slack.com/api/');
  for (const address of ['https://evil.example/x', '', slack.url, 'https://hooks.slack.com.evil.example/x']) {
    await expect(answer(address, { text: 'x' })).rejects.toThrow('not one of Slack');
  }
});
