import { describe, expect, jest, test } from '@jest/globals';
import { channelId, integrationUser, parseTask, serializeTask } from '../../shared/domain/index.ts';
import { handleDeadLetter } from '../../shared/worker/index.ts';
import { NO_RECORDINGS } from '../fakes/recordings.ts';
import { ALERTS, apiHarness, DEPLOY_BOT, PLACE, readObject } from './api-harness.ts';

const recordings = NO_RECORDINGS;

/** A program has asked in a channel; the task that posts its question is taken from the queue. */
async function askInChannel() {
  const at = await apiHarness();
  const { text } = await at.send({ body: { question: 'Healthy?', channel: ALERTS, wait: 0 } });
  const body = at.queue.sent.shift()?.body ?? '';
  /** The queue gives the task up, in this round. */
  const giveUp = (round: number) => {
    const task = parseTask(body);
    if (task?.kind !== 'integration-ask') throw new Error('no question of an integration');
    const context = { ...at.context, recordings, queue: at.queue };
    return handleDeadLetter(serializeTask({ ...task, round }), context);
  };
  const read = async () =>
    readObject((await at.send({ method: 'GET', path: `/v1/ask/${String(readObject(text)['id'])}` })).text);
  return { ...at, body, giveUp, read };
}

describe('a question in a channel whose task was given up', () => {
  test('is tried again, and its program is told after the last time', async () => {
    const at = await askInChannel();
    await at.giveUp(0);
    await at.giveUp(1);
    expect(at.queue.sent.map(({ body }) => /"round":(\d)/u.exec(body)?.[1])).toEqual(['1', '2']);
    expect(await at.read()).toMatchObject({ status: 'queued' });
    await at.giveUp(2);
    // And by its webhook, if it has one.
    expect(at.queue.sent.map(({ body }) => parseTask(body)?.kind)).toEqual([
      'integration-ask',
      'integration-ask',
      'webhook',
    ]);
    expect(await at.read()).toMatchObject({ status: 'failed', error: { code: 'unavailable' } });
  });

  test('is completed if it was asked before', async () => {
    const at = await askInChannel();
    await at.dispatch(at.body);
    await at.giveUp(2);
    await at.work();
    expect(await at.read()).toMatchObject({ status: 'completed', answer: 'Forty-two.' });
  });

  test('has a failure notice in its thread, of which its program is told, if it was only posted', async () => {
    const at = await askInChannel();
    jest.spyOn(at.context.turns, 'accept').mockRejectedValueOnce(new Error('the table is down'));
    await expect(at.dispatch(at.body)).rejects.toThrow('the table is down');
    await at.giveUp(2);
    await at.work();
    const { status, error } = await at.read();
    expect({ status, error }).toMatchObject({ status: 'failed', error: { code: 'gave_up' } });
    expect(at.prompts).toEqual([]);
  });

  test('is refused if it was refused before', async () => {
    const at = await askInChannel();
    await at.dispatch(at.body);
    const { thread, message } = parseTask(at.queue.sent.shift()?.body ?? '') ?? {};
    if (!thread || message === undefined) throw new Error('nothing is asked');
    const turn = { thread, message, asker: integrationUser(DEPLOY_BOT), askerWorkspace: PLACE.workspace };
    const claim = await at.context.turns.claim(turn, 1_000);
    if (claim.kind === 'held') await at.context.turns.remove(turn, claim.fence);
    await at.refuse(turn, 'Not here.');
    await at.giveUp(2);
    await at.work();
    expect(await at.read()).toMatchObject({ status: 'failed', error: { code: 'access_denied' } });
  });

  test('is not asked by a worker that goes on after that, but has a failure notice below it', async () => {
    const at = await askInChannel();
    const startThread = at.messenger.startThread.bind(at.messenger);
    at.messenger.startThread = async (...of) => {
      const turn = await startThread(...of);
      await at.giveUp(2);
      return turn;
    };
    await at.dispatch(at.body);
    await at.work();
    expect(at.prompts).toEqual([]);
    expect(at.published).toEqual([expect.stringContaining('I could not answer this')]);
    expect(await at.read()).toMatchObject({ status: 'failed', error: { code: 'unavailable' } });
  });
});

test('a question that was posted is asked although its channel was taken from the integration meanwhile', async () => {
  const at = await askInChannel();
  await at.dispatch(at.body);
  await at.integrations.setChannels(PLACE, DEPLOY_BOT.id, {
    channels: [channelId('C2')],
    privateChannels: [],
  });
  await at.dispatch(at.body);
  await at.work();
  expect(await at.read()).toMatchObject({ status: 'completed', answer: 'Forty-two.' });
});
