//! The function `strftime_now` of chat templates: the date and time, in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

use minijinja::{Error, ErrorKind};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// Now, in a format of C's `strftime`.
pub fn strftime_now(format: &str) -> Result<String, Error> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    strftime(now, format)
}

/// A time in seconds since 1970, in a format of C's `strftime`.
fn strftime(seconds: u64, format: &str) -> Result<String, Error> {
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let (year, month, day) = date(days);
    // 1970 began on a Thursday.
    let weekday = DAYS.get((days + 4) as usize % 7).copied().unwrap_or("");
    let month_name = MONTHS.get(month as usize - 1).copied().unwrap_or("");
    let short = |name: &'static str| name.get(..3).unwrap_or(name);
    let mut out = String::new();
    let mut rest = format.chars();
    while let Some(c) = rest.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        // `%-d` is `%d` without a leading zero.
        let mut field = rest.next();
        let bare = field == Some('-');
        if bare {
            field = rest.next();
        }
        let width = if bare { 1 } else { 2 };
        let text = match field {
            Some('Y') => year.to_string(),
            Some('y') => format!("{:0width$}", year % 100),
            Some('m') => format!("{month:0width$}"),
            Some('d') => format!("{day:0width$}"),
            Some('H') => format!("{hour:0width$}"),
            Some('I') => format!("{:0width$}", (hour + 11) % 12 + 1),
            Some('M') => format!("{minute:0width$}"),
            Some('S') => format!("{second:0width$}"),
            Some('p') => if hour < 12 { "AM" } else { "PM" }.to_owned(),
            Some('B') => month_name.to_owned(),
            Some('b') => short(month_name).to_owned(),
            Some('A') => weekday.to_owned(),
            Some('a') => short(weekday).to_owned(),
            Some('F') => format!("{year}-{month:02}-{day:02}"),
            Some('T') => format!("{hour:02}:{minute:02}:{second:02}"),
            Some('Z') => "UTC".to_owned(),
            Some('z') => "+0000".to_owned(),
            Some('%') => "%".to_owned(),
            other => {
                let why = format!("`strftime_now` does not know `%{}`", other.unwrap_or(' '));
                return Err(Error::new(ErrorKind::InvalidOperation, why));
            }
        };
        out.push_str(&text);
    }
    Ok(out)
}

/// Year, month and day of a day counted from 1970-01-01 (Howard Hinnant, `civil_from_days`).
fn date(days: u64) -> (u64, u64, u64) {
    // Days since 0000-03-01: the leap day is the last of its year.
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_date_writes_them() {
        // `date -u -d @N '+…'`
        let long = |n| strftime(n, "%A %d %B %Y, %H:%M:%S %p").unwrap();
        assert_eq!(long(0), "Thursday 01 January 1970, 00:00:00 AM");
        assert_eq!(long(951_782_400), "Tuesday 29 February 2000, 00:00:00 AM");
        assert_eq!(long(1_796_083_199), "Monday 30 November 2026, 23:59:59 PM");
        assert_eq!(
            strftime(0, "%-d %b %y %I %F %a 100%%").unwrap(),
            "1 Jan 70 12 1970-01-01 Thu 100%"
        );
    }

    #[test]
    fn an_unknown_field_is_refused() {
        assert!(strftime(0, "%Q").is_err());
        assert!(strftime_now("%Y").unwrap().parse::<u32>().unwrap() >= 2026);
    }
}
