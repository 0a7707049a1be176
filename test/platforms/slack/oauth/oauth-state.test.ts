import { describe, expect, test } from '@jest/globals';
import {
  askingAt,
  isOurState,
  newState,
  STATE_MS,
} from '../../../../shared/platforms/slack/oauth/oauth-state.ts';

const NOW = 1_700_000_000_000;
const SECRET = 'hush';

describe('the state of an install', () => {
  test('is ours for ten minutes, in the browser that kept it', () => {
    const state = newState(SECRET, NOW);
    expect(isOurState(state, state, SECRET, NOW)).toBe(true);
    expect(isOurState(state, state, SECRET, NOW + STATE_MS)).toBe(true);
    expect(isOurState(state, state, SECRET, NOW + STATE_MS + 1)).toBe(false);
    expect(isOurState(state, state, SECRET, NOW - 1)).toBe(false);
    expect(isOurState(state, newState(SECRET, NOW), SECRET, NOW)).toBe(false);
  });

  test('is never the same twice, and cannot be made up', () => {
    expect(newState(SECRET, NOW)).not.toBe(newState(SECRET, NOW));
    for (const forged of ['', 'x', 'a.b.c', newState('guess', NOW), `${newState(SECRET, NOW)}x`]) {
      expect(isOurState(forged, forged, SECRET, NOW)).toBe(false);
    }
  });

  test('goes along to Slack, with the scopes in use and the way back', () => {
    const place = new URL(
      askingAt({
        authorizeUrl: 'https://slack.com/oauth/v2/authorize',
        clientId: '1.2',
        scopes: ['chat:write', 'im:history'],
        redirectUri: 'https://bot.example/slack/oauth_redirect',
        state: 'the state',
      }),
    );
    expect(place.origin + place.pathname).toBe('https://slack.com/oauth/v2/authorize');
    expect(Object.fromEntries(place.searchParams)).toEqual({
      client_id: '1.2',
      scope: 'chat:write,im:history',
      redirect_uri: 'https://bot.example/slack/oauth_redirect',
      state: 'the state',
    });
  });
});
