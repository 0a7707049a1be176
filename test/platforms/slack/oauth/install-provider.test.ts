import { describe, expect, test } from '@jest/globals';
import { createStateStore } from '../../../../shared/platforms/slack/oauth/install-provider.ts';

const NOW = 1_700_000_000_000;
const OPTIONS = { scopes: ['chat:write'], redirectUri: 'https://bot.example.com/slack/oauth_redirect' };

const stateOf = (secret = 'hush', at = NOW) =>
  createStateStore(secret, () => at).generateStateParam(OPTIONS, new Date(0));
const verify = (state: string, at = NOW) =>
  createStateStore('hush', () => at).verifyStateParam(new Date(0), state);

describe('the state of an install', () => {
  test('is valid for ten minutes and holds the redirect address', async () => {
    const state = await stateOf();
    expect(await verify(state)).toEqual(OPTIONS);
    expect(await verify(state, NOW + 600_000)).toEqual(OPTIONS);
    await expect(verify(state, NOW + 601_000)).rejects.toThrow('expired');
  });

  test('is different each time', async () => {
    const states = await Promise.all([stateOf(), stateOf('hush', NOW + 1)]);
    expect(new Set(states).size).toBe(2);
  });

  test.each([
    ['empty', ''],
    ['not a token', 'a.b.c'],
    ['unsigned', `${btoa('{"alg":"none","typ":"JWT"}')}.${btoa('{"now":"2023-11-14T22:13:20.000Z"}')}.`],
  ])('is invalid when it is %s', async (_, state) => {
    await expect(verify(state)).rejects.toThrow('state parameter');
  });

  test('is invalid when another secret signed it, or when it was changed', async () => {
    await expect(verify(await stateOf('guess'))).rejects.toThrow('state parameter');
    await expect(verify(`${await stateOf()}x`)).rejects.toThrow('state parameter');
  });
});
