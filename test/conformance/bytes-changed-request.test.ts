import { expect, test } from '@jest/globals';
import { QUESTION } from '../upstream/raw-server-harness.ts';
import { overBytes } from './over-bytes.ts';

test('after a 400 or 422 that names a field, only a changed request is sent, to the same model', async () => {
  for (const status of [400, 422]) {
    await overBytes(
      ({ path }) =>
        path === '/v1/models'
          ? { status: 404, json: {} }
          : { status, json: { error: { message: 'No, ü.', code: 'x', param: 'temperature' } } },
      async ({ upstream, server, time }) => {
        const request = { ...QUESTION, temperature: 0.5 };
        await expect(upstream.chat.complete(request, { standIns: ['model-b'] })).rejects.toMatchObject({
          kind: 'bad-request',
          status,
        });
        const bodies = server.requests.filter(({ path }) => path !== '/v1/models').map(({ body }) => body);
        expect(bodies.map(({ model, temperature }) => [model, temperature])).toEqual([
          ['model-a', 0.5],
          ['model-a', undefined],
        ]);
        expect(time.waits).toEqual([]);
      },
      { fitToModel: true },
    );
  }
});
