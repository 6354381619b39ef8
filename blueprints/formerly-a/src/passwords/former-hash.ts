/** A hash of profile A, of a random password. */
export const formerDummyHash = '$2y$12$TS1DrhRptJrU2XUtpORLJuaeEsLeMxnGQjLYUGiMZ7mPmu6KliGjy'
