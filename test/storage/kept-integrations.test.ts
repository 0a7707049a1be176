import { expect, test } from '@jest/globals';
import { channelId, messageId, workspaceId } from '../../shared/domain/index.ts';
import { ApiRequests, Integrations, LiveAnswers, Webhooks } from '../../shared/storage/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { plainEncryptor } from '../fakes/plain-encryptor.ts';
import { readItems } from './stored-examples.ts';

const place = { platform: 'slack', workspace: workspaceId('T1') } as const;

test('the integrations of the previous version, their webhooks, requests and refusals are read', async () => {
  const dynamo = createMemoryDynamo();
  for (const Item of await readItems()) await dynamo.put({ TableName: 'conversations', Item });
  const config = { dynamo, table: 'conversations', days: 30, now: () => 1_790_000_000_000 };
  const id = '0123456789abcdef';
  const integrations = new Integrations(config);
  const bot = { id, name: 'deploy-bot', channels: ['C1'] };
  expect(await integrations.list(place)).toMatchObject([bot]);
  const key = (digits: string): string => `parley_s_T1_${id}_${digits.repeat(24)}`;
  expect(await integrations.authenticate(place, id, key('08'))).toEqual(bot);
  // The former one counts for a day.
  expect(await integrations.authenticate(place, id, key('07'))).toEqual(bot);
  expect(await integrations.authenticate(place, id, key('09'))).toBeUndefined();
  const webhooks = new Webhooks({ ...config, encryptor: plainEncryptor });
  const webhook = await webhooks.find(place, id);
  expect(webhook).toMatchObject({
    url: 'https://hooks.example.com/parley',
    events: ['answer', 'feedback'],
    by: 'U1',
    failures: 0,
    isOff: false,
    isForChannels: false,
  });
  expect(webhook && (await webhooks.decrypt(place, id, webhook))).toBe('whsec_kept');
  const requests = new ApiRequests(config);
  const requestId = `ask_${'ab'.repeat(16)}`;
  const root = messageId('1790000020.000100');
  expect(await requests.find(place, id, requestId)).toMatchObject({
    channel: 'C1',
    turn: { root, message: root },
  });
  expect(await requests.findByTurn(place, id, { channel: channelId('C1'), message: root })).toBe(requestId);
  const message = messageId('1790000021.000100');
  const own = { ...place, channel: channelId(`api_${id}`), root: message };
  const answer = await new LiveAnswers(config).read({ thread: own, message });
  expect(answer).toEqual({ kind: 'refused', text: 'You may not ask here.' });
});
