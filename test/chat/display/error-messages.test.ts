import { expect, test } from '@jest/globals';
import { BudgetExceededError } from '../../../shared/billing/index.ts';
import { describeFailure } from '../../../shared/chat/index.ts';
import { texts } from '../../../shared/commands/definitions/quota.ts';
import { formatMomentInZone, LOCALES } from '../../../shared/i18n/index.ts';
import { RateLimitExceededError } from '../../../shared/rate-limits/index.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const BUDGET = { scope: 'person', period: 'day', limit: {}, account: 'D#2026-11-21' } as const;

test.each(LOCALES)('a refusal names the command for budgets as the platform shows it (%s)', (locale) => {
  for (const budget of [undefined, BUDGET]) {
    const describe = (platform: 'slack' | 'discord') =>
      describeFailure(new BudgetExceededError({ platform, zone: 'UTC' }, budget, NOW), { now: NOW, locale });
    expect(describe('slack')?.sentence).toContain('`quota`');
    expect(describe('discord')?.sentence).toContain(`\`/${texts.name[locale]}\``);
  }
});

const DAY_MS = 86_400_000;

test.each(LOCALES)('the end of a limit reads well as a time of day and as another day (%s)', (locale) => {
  for (const service of [undefined, 'video', 'speech'] as const) {
    const describe = (retryAfterMs: number) => {
      const recipient = { now: NOW, locale, ...(service && { service }) };
      return describeFailure(new RateLimitExceededError(retryAfterMs), recipient)?.sentence ?? '';
    };
    expect(describe(2 * 60_000)).toContain('12:02 UTC');
    const [before = '', ...after] = describe(DAY_MS).split(formatMomentInZone(NOW + DAY_MS, 'UTC', locale));
    expect(after).toHaveLength(1);
    // Words that only a time of day follows: “um Mo., 30. Nov.”.
    expect(before).not.toMatch(/ (?:at|um|à|las|às) $/u);
  }
});
