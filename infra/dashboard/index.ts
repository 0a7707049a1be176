export type {
  AlarmRow,
  DashboardData,
  LedgerEntry,
  MessageLedger,
  MessageRow,
  QueueLevel,
  QueueSample,
  TimeStep,
  UnreadPart,
} from './data/dashboard-data.ts';
export { describeEvent } from './data/event-words.ts';
export { readLogFiles } from './data/log-files.ts';
export { type LogLevel, type LogRecord, numberFact, parseLogLine, textFact } from './data/log-record.ts';
export type { MethodCalls } from './data/api-calls.ts';
export { findMessageLedger } from './data/ledger.ts';
export { RecordStore } from './data/record-store.ts';
export { type DashboardInput, type MeasuredTimes, summarize } from './data/summarize.ts';
export { type TimeWindow, toTimeSteps, toTimeWindow } from './data/time-series.ts';
export type { NameLookup } from './data/usage.ts';
export type { FaultPanel, FaultState } from './faults.ts';
export { createDashboardServer, type DashboardSource } from './server.ts';
