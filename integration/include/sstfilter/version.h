/* The version of sstfilter, for C and C++. */
#ifndef SSTFILTER_VERSION_H_
#define SSTFILTER_VERSION_H_

#define SSTFILTER_VERSION "0.1.0"

#endif /* SSTFILTER_VERSION_H_ */
