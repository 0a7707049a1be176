import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { DEFER, ORIGINAL, start, stopAll } from './app-harness.ts';
import { GENERAL } from './identity.ts';
import { setUp } from './harness.ts';
import { readDocument } from './document.ts';

const document = readDocument(process.env['PARLEY_SHARED']);
const MESSAGES = 'POST /channels/{channel_id}/messages';
const request = { direction: 'request' } as const;
const response = (status: number) => ({ direction: 'response', status }) as const;

const mention = (...users: string[]) =>
  document?.(MESSAGES, request, { content: 'x', allowed_mentions: { users } });
const errorsOf = (code: unknown) => ({ a: { '0': { _errors: [{ code, message: 'x' }] } } });

afterEach(stopAll);

(document ? describe : describe.skip)(
  'Discord’s own document (skipped unless PARLEY_SHARED names the folder of specs/)',
  () => {
    test('a validation error names the path and the rule of the intended component', () => {
      const row = { type: 1, components: [{ type: 2, style: 1, label: 7, custom_id: 'a' }] };
      const box = { type: 17, components: [{ type: 10, content: 'x' }, row] };
      expect(document?.(MESSAGES, request, { components: [box] })).toEqual([
        {
          at: '#/components/0/components/1/components/0/label',
          keyword: 'type',
          message: expect.stringContaining('"number" is invalid'),
        },
      ]);
      expect(document?.(MESSAGES, request, { components: [{ type: 99 }] })).toMatchObject([
        { at: '#/components/0', keyword: 'oneOf' },
      ]);
    });

    test('responses have schemas by status, and unknown ones have none', () => {
      expect(document?.('GET /gateway', response(200), { url: 'wss://gateway.discord.gg' })).toEqual([]);
      expect(document?.('GET /gateway', response(200), {})).toMatchObject([{ at: '#', keyword: 'required' }]);
      expect(document?.('GET /gateway', response(404), { message: 'x', code: 'y' })).toMatchObject([
        { at: '#/code', keyword: 'type' },
      ]);
      expect(document?.('GET /gateway', response(500), {})).toBeUndefined();
      expect(document?.('GET /nowhere', response(200), {})).toBeUndefined();
    });

    test('a body is validated again unless only its ids differ', () => {
      const [one, two, three] = ['100000000000000001', '100000000000000002', '100000000000000003'];
      expect(mention(one, two)).toEqual([]);
      expect(mention(one, three)).toEqual([]);
      expect(mention(two, two)).toMatchObject([{ keyword: 'uniqueItems' }]);
      expect(mention(one, '0x')).toMatchObject([{ keyword: 'pattern' }]);
    });

    test("the tree of errors has Discord's form only", () => {
      const refusal = { message: 'Invalid Form Body', code: 50035 };
      const results = ['BASE_TYPE_REQUIRED', true].map((code) =>
        document?.(MESSAGES, response(400), { ...refusal, errors: errorsOf(code) }),
      );
      expect(results).toEqual([[], expect.arrayContaining([expect.objectContaining({ keyword: 'type' })])]);
    });

    test('the simulator validates requests and the bodies of interaction responses', async () => {
      const embeds = [{ title: 5 }];
      let reply: object = { type: 4, data: { embeds } };
      const { simulator, call } = await start(() => reply);
      expect(await simulator.slash('ada', GENERAL, 'ask', { question: 'x' })).toMatchObject({
        acknowledged: false,
        reason: 'invalid_answer',
        detail: { code: 50035 },
      });
      reply = DEFER;
      await simulator.slash('ada', GENERAL, 'ask', { question: 'x' });
      expect(await call('PATCH', ORIGINAL, { embeds })).toMatchObject({ status: 400, code: 50035 });
      expect(await call('PATCH', ORIGINAL, { content: 'x' })).toMatchObject({ status: 200 });
    });

    test('the simulator throws when its own response is not as Discord documents', async () => {
      const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
      const { simulator, core } = await setUp();
      const [channel] = core.state.channels.values();
      if (!channel) throw new Error('no channel');
      core.state.channels.set(channel.id, { ...channel, type: 99 });
      const headers = { authorization: `Bot ${simulator.botToken}` };
      const answer = await fetch(`${simulator.apiUrl}/channels/${channel.id}`, { headers });
      expect([answer.status, await answer.text()]).toEqual([
        500,
        expect.stringContaining('Discord would not answer so: GET /channels/{channel_id}, 200, #'),
      ]);
      expect(warn).toHaveBeenCalledTimes(1);
      warn.mockRestore();
    });
  },
);
