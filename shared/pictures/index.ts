export { clean, type Cleaned, type Refusal } from './clean.ts';
