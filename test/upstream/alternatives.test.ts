import { describe, expect, test } from '@jest/globals';
import { buildLegacyBody } from '../../shared/upstream/chat/legacy-request.ts';
import { data, DONE, reply, stream, USAGE } from './raw-server.ts';
import { QUESTION, readResponse, textOf, withServer } from './raw-server-harness.ts';

const part = (index: number, content: string, finish: string | null = null): string =>
  data({
    id: 'c-1',
    model: 'model-a',
    choices: [{ index, delta: content === '' ? {} : { content }, finish_reason: finish }],
  });
const THREE = { ...QUESTION, n: 3 };

describe('a request with `n`', () => {
  test('streams the first answer and returns the others, whatever the order of the chunks', async () => {
    await withServer(
      (socket) =>
        stream(socket, [
          part(0, 'One'),
          part(2, 'Drei'),
          part(1, 'Un'),
          part(0, ' sea'),
          part(0, '', 'stop'),
          part(1, 'e mer'),
          part(1, '', 'stop'),
          part(2, ' Meere'),
          part(2, '', 'stop'),
          data({ id: 'c-1', choices: [], usage: USAGE }),
          DONE,
        ]),
      async ({ upstream, server }) => {
        const response = await readResponse(upstream.chat.stream(THREE));
        expect(server.requests[0]?.body).toMatchObject({ n: 3 });
        expect(textOf(response)).toBe('One sea');
        expect(response.end).toMatchObject({ text: 'One sea', finish: 'stop', omitted: [] });
        expect(response.end?.alternatives).toEqual(['Une mer', 'Drei Meere']);
        expect(response.end?.usage?.completionTokens).toBe(USAGE.completion_tokens);
      },
    );
  });

  test('returns only answers that are complete', async () => {
    await withServer(
      (socket) =>
        stream(socket, [
          part(0, 'Whole'),
          part(0, '', 'stop'),
          part(1, 'Cut by the limit'),
          part(1, '', 'length'),
          part(2, 'Never ended'),
          DONE,
        ]),
      async ({ upstream }) => {
        const { end } = await readResponse(upstream.chat.stream(THREE));
        expect(end?.text).toBe('Whole');
        expect(end).not.toHaveProperty('alternatives');
      },
    );
  });

  test('reads the answers of one JSON body', async () => {
    const choices = ['A', 'B', 'C'].map((content, index) => ({
      index,
      message: { role: 'assistant', content },
      finish_reason: 'stop',
    }));
    await withServer(
      (socket) => reply(socket, 200, { id: 'c-1', model: 'model-a', choices, usage: USAGE }),
      async ({ upstream }) =>
        expect(await upstream.chat.complete(THREE)).toMatchObject({ text: 'A', alternatives: ['B', 'C'] }),
    );
  });

  test('is sent again without `n` to a server that rejects it', async () => {
    await withServer(
      (socket, { path, body }) => {
        if (path === '/v1/models') reply(socket, 404, {});
        else if ('n' in body) reply(socket, 400, { error: { message: 'no n', type: 'invalid', param: 'n' } });
        else stream(socket, [part(0, 'One'), part(0, '', 'stop'), DONE]);
      },
      async ({ upstream }) =>
        expect((await readResponse(upstream.chat.stream(THREE))).end).toMatchObject({
          text: 'One',
          omitted: ['n'],
        }),
      { fitToModel: true },
    );
  });

  test('has no `n` in the legacy shape, which lists it as left out', () => {
    const { body, omitted } = buildLegacyBody({ ...THREE, maxTokens: 9 }, true);
    expect(body).not.toHaveProperty('n');
    expect(omitted).toEqual(['n']);
  });
});
