import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import {
  answersIn,
  dataFolder,
  type JourneyHarness,
  startJourneyHarness,
  queuesAreEmpty,
} from './harness.ts';
import { tableOf } from './relay-harness.ts';

const folder = dataFolder();
let journey: JourneyHarness;
let dynamo: DynamoDB;

beforeAll(async () => {
  journey = await startJourneyHarness(folder.path);
  const { region, credentials } = tableOf(journey.system);
  dynamo = new DynamoDB({ region, credentials, endpoint: journey.system.emulator.dynamodb });
});
afterAll(async () => {
  dynamo.destroy();
  await journey.system.close();
  folder.remove();
});

const KEY = { pk: { S: 'SCAN' }, sk: { S: 'PERSON-INDEX#2' } };

/** The sweeper, as it runs each minute. */
const sweep = () => {
  const { emulator: cloud } = journey.system;
  return cloud.invoke(cloud.resources.schedules[0]?.functionId ?? '', {});
};

test('the sweeper fills the person index, and an erasure then finds the data of a person with it', async () => {
  const { slack, system } = journey;
  const TableName = tableOf(system).table;
  for (const name of ['ada', 'grace']) {
    const thread = await slack.say(name, `<@${slack.botUserId}> What is a fjord?`);
    await answersIn(slack, thread);
  }
  const items = async () => (await dynamo.scan({ TableName })).Items ?? [];
  const storedTurns = async () => (await items()).filter(({ sk }) => sk?.S?.startsWith('TURN#'));
  expect(await storedTurns()).toHaveLength(2);
  await sweep();
  expect((await dynamo.getItem({ TableName, Key: KEY })).Item?.['done']).toBeUndefined();
  // Twenty minutes later.
  await dynamo.updateItem({
    TableName,
    Key: KEY,
    UpdateExpression: 'SET #start = :start',
    ExpressionAttributeNames: { '#start': 'start' },
    ExpressionAttributeValues: { ':start': { N: '1' } },
  });
  await sweep();
  expect((await dynamo.getItem({ TableName, Key: KEY })).Item?.['done']?.BOOL).toBe(true);
  const notices = () =>
    [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].filter(
      ({ ephemeralTo }) => ephemeralTo,
    );
  await slack.command('ada', '/parley forget me');
  const card = await slack.core.until(() => notices().at(-1));
  await slack.press('ada', card.ts, 'Everything about me');
  await slack.core.until(() =>
    notices().find((one) => JSON.stringify(one).includes('Done: I have forgotten')),
  );
  await queuesAreEmpty(system);
  const left = await storedTurns();
  expect(left).toHaveLength(1);
  expect((await items()).filter(({ by }) => by?.S !== undefined && by.S !== left[0]?.['by']?.S)).toEqual([]);
});
