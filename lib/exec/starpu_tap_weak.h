/* starpu_tap_weak.h -- what tgsched-preload.so uses of StarPU and OpenCL, weakly: a process without
 * StarPU (a shell that starts the application) must start all the same.  To be included before the
 * declarations.  tests/cli/capture.sh compares this list with what the library needs. */
#ifndef TGS_STARPU_TAP_WEAK_H
#define TGS_STARPU_TAP_WEAK_H
#include <starpu_config.h>
#ifdef STARPU_USE_OPENCL
#pragma weak clGetEventProfilingInfo
#pragma weak clReleaseEvent
#pragma weak clRetainEvent
#pragma weak clSetEventCallback
#endif
#pragma weak starpu_bus_get_count
#pragma weak starpu_bus_get_dst
#pragma weak starpu_bus_get_profiling_info
#pragma weak starpu_bus_get_src
#pragma weak starpu_conf_init
#pragma weak starpu_data_get_child
#pragma weak starpu_data_get_home_node
#pragma weak starpu_data_get_interface_on_node
#pragma weak starpu_data_get_nb_children
#pragma weak starpu_data_get_sequential_consistency_flag
#pragma weak starpu_data_get_size
#pragma weak starpu_get_prefetch_flag
#pragma weak starpu_memory_get_available
#pragma weak starpu_memory_get_total
#pragma weak starpu_memory_nodes_get_count
#pragma weak starpu_prefetch_task_input_on_node
#pragma weak starpu_push_local_task
#pragma weak starpu_push_task_end
#pragma weak starpu_sched_get_predefined_policies
#pragma weak starpu_task_data_footprint
#pragma weak starpu_task_expected_length
#pragma weak starpu_task_footprint
#pragma weak starpu_task_get_current
#pragma weak starpu_task_nsubmitted
#pragma weak starpu_task_set_implementation
#pragma weak starpu_timing_now
#pragma weak starpu_wake_all_blocked_workers
#pragma weak starpu_wake_worker_relax_light
#pragma weak starpu_worker_can_execute_task_first_impl
#pragma weak starpu_worker_get_by_type
#pragma weak starpu_worker_get_count
#pragma weak starpu_worker_get_count_by_type
#pragma weak starpu_worker_get_id
#pragma weak starpu_worker_get_memory_node
#pragma weak starpu_worker_get_perf_archtype
#pragma weak starpu_worker_relax_off
#pragma weak starpu_worker_relax_on
#endif
