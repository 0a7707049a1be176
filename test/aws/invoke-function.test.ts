import { expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import * as v from 'valibot';
import { createInvokingCall, invokeFunction } from '../../shared/aws/invoke-function.ts';
import { MAX_CONNECTIONS } from '../../shared/aws/aws-request.ts';
import { awsAccess } from '../runtime/aws.ts';

test('32 functions are invoked at once, and hold no connection of other operations', async () => {
  const all = Promise.withResolvers<void>();
  let arrived = 0;
  // Responds to an invocation only when all have arrived.
  const server = createServer((request, response) => {
    if (!request.url?.endsWith('/invocations')) return void response.end('{}');
    arrived += 1;
    if (arrived === 32) all.resolve();
    void all.promise.then(() => response.end('{}'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = v.parse(v.object({ port: v.number() }), server.address());
  const access = awsAccess(port);
  const lambda = `http://127.0.0.1:${port}`;
  const call = createInvokingCall({ ...access, endpoints: { ...access.endpoints, lambda } }, {});

  const invoke = invokeFunction('tool-client', call);
  const { signal } = new AbortController();
  const early = Array.from({ length: MAX_CONNECTIONS }, () => invoke({}, signal));
  await call({ service: 'dynamodb', target: 'DynamoDB_20120810.GetItem', input: '{}' });
  const late = Array.from({ length: 32 - MAX_CONNECTIONS }, () => invoke({}, signal));
  expect(await Promise.all([...early, ...late])).toHaveLength(32);
  server.closeAllConnections();
  server.close();
});
