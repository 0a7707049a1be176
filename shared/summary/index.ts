export {
  sortForReading,
  toPromptLines,
  findLinks,
  type NumberedMessages,
  withLinks,
} from './prompt-lines.ts';
export { MAX_DAYS_BACK, PERIODS, getPeriodStart, type SummaryPeriod } from './period.ts';
export { MAX_PARTS, summarize, type Summary } from './summarize.ts';
