import { together } from '../support/together.ts';

together('commands');
