import type { Row } from './option-row.ts';

const before: Row['before'] = [['settings', { name: 'schedules', value: 'all', for: 'workspace' }]];

const day = (name: string, promises: RegExp): Row => ({
  options: { what: 'news', days: name },
  before,
  promises,
});

/** The options of `schedule`, where an administrator has allowed it. */
export const SCHEDULE_ROWS: Readonly<Record<string, Row | Readonly<Record<string, Row>>>> = {
  'schedule what': {
    options: { what: 'every monday at 9, news' },
    before,
    typed: 'schedule every monday at 9, news',
    promises: /news.*Monday, 09:00/u,
  },
  'schedule days': {
    'every-day': day('every-day', /Every day, 09:00/u),
    weekdays: day('weekdays', /Monday to Friday, 09:00/u),
    monday: day('monday', /"Monday, 09:00/u),
    tuesday: day('tuesday', /"Tuesday, 09:00/u),
    wednesday: day('wednesday', /"Wednesday, 09:00/u),
    thursday: day('thursday', /"Thursday, 09:00/u),
    friday: day('friday', /"Friday, 09:00/u),
    saturday: day('saturday', /"Saturday, 09:00/u),
    sunday: day('sunday', /"Sunday, 09:00/u),
  },
  'schedule at': {
    options: { what: 'news', days: 'monday', at: '16:30' },
    before,
    promises: /Monday, 16:30/u,
  },
  'schedule digest': {
    yesterday: {
      options: { days: 'monday', digest: 'yesterday' },
      before,
      promises: /Summary of this channel since yesterday/u,
    },
    week: {
      options: { days: 'monday', digest: 'week' },
      before,
      promises: /Summary of this channel, the last 7 days/u,
    },
  },
  'schedule zone': {
    options: { what: 'news', days: 'monday', zone: 'Asia/Tokyo' },
    before,
    promises: /09:00 \(Asia\/Tokyo\)/u,
  },
};
